import * as z from 'zod';
import type { ChannelKind } from '#shared/channels/channel-kind.ts';
import type { EmailBody } from './body.ts';

export const EmailChannel = z.strictObject({
  id: z.string(),
  kind: z.literal('email'),
  to: z.string(),
});
export type EmailChannel = z.output<typeof EmailChannel>;

export const email: ChannelKind<EmailChannel, EmailBody> = {
  isForPeople: true,
  endpointOf: ({ to }) => ({ protocol: 'email', endpoint: to }),
  addressOf: ({ to }) => `email ${to}`,
  secretsOf: () => [],
  viewOf: (channel) => channel,
};
