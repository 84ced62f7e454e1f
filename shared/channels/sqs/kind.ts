import * as z from 'zod';
import { type ChannelKind, id } from '#shared/channels/channel-kind.ts';

/**
 * A standard queue that does not belong to floorwatch. SNS cannot deliver from a standard topic to
 * a FIFO queue.
 */
const QueueArn = z.lazy(() =>
  z
    .string()
    .refine((arn) => !arn.endsWith('.fifo'), {
      error: 'expected a standard queue, not a FIFO queue',
      abort: true,
    })
    .refine((arn) => !/:(canary-of-)?floorwatch-[^:]*$/i.test(arn), {
      error: 'expected a queue of your own, not a floorwatch queue',
      abort: true,
    })
    // The names of all AWS partitions.
    .regex(
      /^arn:aws(-cn|-us-gov|-iso(-[bef])?|-eusc)?:sqs:[a-z0-9-]{1,40}:\d{12}:[\w-]{1,80}$/,
      'expected the ARN of a queue, arn:aws:sqs:<region>:<account>:<name>',
    ),
);

const SqsChannel = z.lazy(() =>
  z.strictObject({ id: z.string(), kind: z.literal('sqs'), queue: z.string() }),
);

const SqsBody = z.lazy(() => z.strictObject({ id, kind: z.literal('sqs'), queue: QueueArn }));

export const sqs = {
  name: 'Sqs',
  service: 'SQS queue',
  words: {
    ...{ is: 'An SQS queue', also: '. The body of each message is an alert as JSON' },
    members: {
      queue: "The ARN of a standard queue. Its policy must allow the stack's topics to send to it.",
    },
  },
  kept: SqsChannel,
  body: SqsBody,
  forms: [],
  isForPeople: false,
  acknowledged: () => 'nowhere',
  delivery: { endpointOf: ({ queue }) => ({ protocol: 'sqs', endpoint: queue }) },
  addressOf: ({ queue }) => `sqs ${queue}`,
  viewOf: (channel) => channel,
  secretsOf: () => [],
  namesRefused: () => undefined,
  issuesOf: () => [],
  keep: async (written) => written,
} satisfies ChannelKind<z.output<typeof SqsChannel>, z.output<typeof SqsBody>>;
