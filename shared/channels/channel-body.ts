import * as z from 'zod';
import { DiscordBody } from './discord/body.ts';
import { EmailBody } from './email/body.ts';
import { SlackBody } from './slack/body.ts';
import { SqsBody } from './sqs/body.ts';
import { WebhookBody } from './webhook/body.ts';

/** The bodies by kind; the test of the kinds holds each list of them against the others. */
export const CHANNEL_BODIES = {
  email: EmailBody,
  sqs: SqsBody,
  slack: SlackBody,
  discord: DiscordBody,
  webhook: WebhookBody,
} as const;
const BODIES = [EmailBody, SqsBody, SlackBody, DiscordBody, WebhookBody] as const;

/** Where a list's alerts go, besides to the operators of the stack, as people write it. */
export const ChannelBody = z.discriminatedUnion('kind', BODIES, {
  error: ({ code }) =>
    code === 'invalid_union'
      ? `expected one of ${BODIES.map(({ shape }) => `"${shape.kind.value}"`).join(', ')}`
      : undefined,
});
export type ChannelBody = z.output<typeof ChannelBody>;

/** The bodies of all kinds, with more members. */
export function eachKind<Members extends z.ZodRawShape>(members: Members) {
  const { email, sqs, slack, discord, webhook } = CHANNEL_BODIES;
  return z.discriminatedUnion('kind', [
    email.extend(members),
    sqs.extend(members),
    slack.extend(members),
    discord.extend(members),
    webhook.extend(members),
  ]);
}
