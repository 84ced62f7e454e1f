import * as z from 'zod';
import { type ChannelBodyKind, id } from '#shared/channels/channel-body-kind.ts';
import type { SqsChannel } from './kind.ts';

/** Of the partitions that AWS has; an account is reported as a number everywhere. */
export const QUEUE_ARN =
  /^arn:aws(-cn|-us-gov|-iso(-[bef])?|-eusc)?:sqs:[a-z0-9-]{1,40}:\d{12}:[\w-]{1,80}$/;

/** Standard queues only, since a topic that is not FIFO reaches no FIFO queue; none of our own. */
const QueueArn = z.string().superRefine((arn, context) => {
  const message = queueIssue(arn);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

export const SqsBody = z.strictObject({ id, kind: z.literal('sqs'), queue: QueueArn });
export type SqsBody = z.output<typeof SqsBody>;

export const sqsBody: ChannelBodyKind<SqsChannel, SqsBody> = {
  secretsOf: () => [],
  namesRefused: () => undefined,
  issuesOf: () => [],
  keep: async (written) => written,
};

/** Why a text is not the ARN of a queue that alerts may go to; undefined where it is. */
function queueIssue(arn: string): string | undefined {
  const name = arn.slice(arn.lastIndexOf(':') + 1);
  if (name.endsWith('.fifo')) return 'expected a standard queue, not a FIFO queue';
  if (/^floorwatch-/i.test(name)) return 'expected a queue of your own, not one of floorwatch';
  return QUEUE_ARN.test(arn)
    ? undefined
    : 'expected the ARN of a queue, arn:aws:sqs:<region>:<account>:<name>';
}
