import * as z from 'zod';
import { isNameOfSecret, nameOfSecret, SealedSecret } from './channel-secret.ts';
import { addressIn, isPublicAddress } from './public-address.ts';
import { Identifier } from './words.ts';

const QUEUE_ARN = /^arn:aws[a-z-]*:sqs:[a-z0-9-]+:\d{12}:[\w-]{1,80}$/;

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
  const complaint = queueComplaint(arn);
  if (complaint !== undefined) context.addIssue({ code: 'custom', message: complaint });
});

/** Told back as it is asked for. */
const WebhookUrl = z
  .string()
  .superRefine((text, context) => {
    const complaint = webhookComplaint(text);
    if (complaint !== undefined) context.addIssue({ code: 'custom', message: complaint });
  })
  .transform((text) => new URL(text).href);

const email = {
  to: z.email('expected an email address').max(254, 'expected at most 254 characters'),
};
const KINDS = ['email', 'sqs', 'slack', 'discord', 'webhook'] as const;

/** Where a list's alerts go, besides to the operators of the stack, as people write it. */
export const ChannelBody = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ id, kind: z.literal('email'), ...email }),
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
        .max(2, 'expected one or two signing secrets')
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

/** A channel as its list keeps it. */
export const Channel = z.discriminatedUnion('kind', [
  z.strictObject({ id: z.string(), kind: z.literal('email'), to: z.string() }),
  z.strictObject({ id: z.string(), kind: z.literal('sqs'), queue: z.string() }),
  z.strictObject({ id: z.string(), kind: z.literal('slack'), url: SealedSecret }),
  z.strictObject({ id: z.string(), kind: z.literal('discord'), url: SealedSecret }),
  z.strictObject({
    id: z.string(),
    kind: z.literal('webhook'),
    url: z.string(),
    secrets: z.array(SealedSecret).readonly(),
  }),
]);
export type Channel = z.output<typeof Channel>;

/** A channel as its owner reads it, and may write it again: secrets by their names. */
export function channelView(channel: Channel): ChannelBody {
  switch (channel.kind) {
    case 'slack':
    case 'discord':
      return { ...channel, url: nameOfSecret(channel.url) };
    case 'webhook':
      return { ...channel, secrets: channel.secrets.map(nameOfSecret) };
    case 'email':
    case 'sqs':
      return channel;
  }
}

/** The secrets that a channel keeps. */
export function secretsOf(channel: Channel): readonly SealedSecret[] {
  switch (channel.kind) {
    case 'slack':
    case 'discord':
      return [channel.url];
    case 'webhook':
      return channel.secrets;
    case 'email':
    case 'sqs':
      return [];
  }
}

/** Whether a text is an incoming webhook of Slack, and nothing else. */
export function isSlackUrl(text: string): boolean {
  return /^https:\/\/hooks\.slack\.com\/services\/T\w{1,50}\/B\w{1,50}\/\w{1,100}$/.test(text);
}

/** Whether a text is a webhook of Discord, and nothing else. */
export function isDiscordUrl(text: string): boolean {
  return /^https:\/\/discord\.com\/api\/webhooks\/\d{1,20}\/[\w-]{1,200}$/.test(text);
}

/** Whether people read it, who are not to be flooded; programs get every alert singly. */
export function isForPeople({ kind }: Channel): boolean {
  return kind !== 'sqs' && kind !== 'webhook';
}

/** Tells where a channel leads from wherever else it may have led, or be made to lead. */
export function addressOf(channel: Channel): string {
  switch (channel.kind) {
    case 'email':
      return `email ${channel.to}`;
    case 'sqs':
      return `sqs ${channel.queue}`;
    case 'slack':
    case 'discord':
      return `${channel.kind} ${nameOfSecret(channel.url)}`;
    case 'webhook':
      return `webhook ${channel.url}`;
  }
}

/** Whether a webhook's URL is one of this very machine, which only a stack on it can mean. */
export function isLoopbackUrl(url: string): boolean {
  return url.startsWith('http:');
}

function isSigningSecret(text: string): boolean {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  if (base64 === undefined) return false;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length >= 24 && bytes.length <= 64 && bytes.toString('base64') === base64;
}

function queueComplaint(arn: string): string | undefined {
  const name = arn.slice(arn.lastIndexOf(':') + 1);
  if (name.endsWith('.fifo')) return 'expected a standard queue, not a FIFO queue';
  if (/^floorwatch-/i.test(name)) return 'expected a queue of your own, not one of floorwatch';
  return QUEUE_ARN.test(arn)
    ? undefined
    : 'expected the ARN of a queue, arn:aws:sqs:<region>:<account>:<name>';
}

function webhookComplaint(text: string): string | undefined {
  if (text.length > 2000) return 'expected at most 2000 characters';
  const url = /^[!-~]+$/.test(text) ? URL.parse(text) : null;
  if (url === null) return 'expected a URL in ASCII, https://…';
  if (url.username !== '' || url.password !== '') return 'expected a URL without user information';
  if (text.includes('#')) return 'expected a URL without a fragment';
  if (/^http:\/\/127\.0\.0\.1:\d+\//.test(url.href)) return undefined;
  if (url.protocol !== 'https:') return 'expected an https URL';
  const address = addressIn(url);
  return address === undefined || isPublicAddress(address)
    ? undefined
    : 'expected a host that anybody on the internet can reach';
}
