import * as z from 'zod';
import { LIMITS } from '#shared/domain/limits.ts';
import { Identifier } from '#shared/domain/words.ts';
import {
  isDiscordUrl,
  isSigningSecret,
  isSlackUrl,
  queueIssue,
  webhookIssue,
} from './channel-address.ts';
import { isNameOfSecret } from './channel-secret.ts';

const id = Identifier.optional();

/** A secret, or the name of one that the channel has already. */
const secretOf = (isOne: (text: string) => boolean, expected: string) =>
  z.string().refine((text) => isNameOfSecret(text) || isOne(text), {
    message: `${expected}, or the "kept:…" of the one that this channel has`,
  });

const SigningSecret = secretOf(
  isSigningSecret,
  'expected "whsec_" and the base64 of 24 to 64 random bytes',
);

/** Standard queues only, since a topic that is not FIFO reaches no FIFO queue; none of our own. */
const QueueArn = z.string().superRefine((arn, context) => {
  const issue = queueIssue(arn);
  if (issue !== undefined) context.addIssue({ code: 'custom', message: issue });
});

/** Returned as it is asked for. */
const WebhookUrl = z
  .string()
  .superRefine((text, context) => {
    const issue = webhookIssue(text);
    if (issue !== undefined) context.addIssue({ code: 'custom', message: issue });
  })
  .transform((text) => new URL(text).href);

const EmailAddress = z
  .email('expected an email address')
  .max(254, 'expected at most 254 characters');
const KINDS = ['email', 'sqs', 'slack', 'discord', 'webhook'] as const;

/** Where a list's alerts go, besides to the operators of the stack, as people write it. */
export const ChannelBody = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ id, kind: z.literal('email'), to: EmailAddress }),
    z.strictObject({ id, kind: z.literal('sqs'), queue: QueueArn }),
    z.strictObject({
      id,
      kind: z.literal('slack'),
      url: secretOf(isSlackUrl, 'expected https://hooks.slack.com/services/T…/B…/…'),
    }),
    z.strictObject({
      id,
      kind: z.literal('discord'),
      url: secretOf(isDiscordUrl, 'expected https://discord.com/api/webhooks/<number>/<token>'),
    }),
    z.strictObject({
      id,
      kind: z.literal('webhook'),
      url: WebhookUrl,
      /** Two of them while one takes the place of the other: both sign. */
      secrets: z
        .array(SigningSecret)
        .min(1, 'expected one or two signing secrets')
        .max(LIMITS.channel.secrets, 'expected one or two signing secrets')
        .refine((secrets) => new Set(secrets).size === secrets.length, 'expected each secret once'),
    }),
  ],
  {
    error: ({ code }) =>
      code === 'invalid_union'
        ? `expected one of ${KINDS.map((kind) => `"${kind}"`).join(', ')}`
        : undefined,
  },
);
export type ChannelBody = z.output<typeof ChannelBody>;
