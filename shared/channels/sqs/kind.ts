import * as z from 'zod';
import type { ChannelKind } from '#shared/channels/channel-kind.ts';
import type { SqsBody } from './body.ts';

export const SqsChannel = z.strictObject({
  id: z.string(),
  kind: z.literal('sqs'),
  queue: z.string(),
});
export type SqsChannel = z.output<typeof SqsChannel>;

export const sqs: ChannelKind<SqsChannel, SqsBody> = {
  isForPeople: false,
  endpointOf: ({ queue }) => ({ protocol: 'sqs', endpoint: queue }),
  addressOf: ({ queue }) => `sqs ${queue}`,
  secretsOf: () => [],
  viewOf: (channel) => channel,
};
