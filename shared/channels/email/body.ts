import * as z from 'zod';
import { type ChannelBodyKind, id } from '#shared/channels/channel-body-kind.ts';
import type { EmailChannel } from './kind.ts';

const EmailAddress = z
  .email('expected an email address')
  .max(254, 'expected at most 254 characters');

export const EmailBody = z.strictObject({ id, kind: z.literal('email'), to: EmailAddress });
export type EmailBody = z.output<typeof EmailBody>;

export const emailBody: ChannelBodyKind<EmailChannel, EmailBody> = {
  secretsOf: () => [],
  namesRefused: () => undefined,
  issuesOf: () => [],
  keep: async (written) => written,
};
