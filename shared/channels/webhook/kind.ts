import * as z from 'zod';
import {
  type ChannelKind,
  id,
  secretOf,
  type WebhookRules,
} from '#shared/channels/channel-kind.ts';
import { SealedSecret } from '#shared/domain/channels/channel-secret.ts';
import { addressIn, isPublicAddress } from '#shared/domain/channels/public-address.ts';
import { LIMITS } from '#shared/domain/limits.ts';

/** As Standard Webhooks writes it: the base64 of 24 to 64 bytes, as its one writing has it. */
const SigningSecret = secretOf(
  'whsec_(([A-Za-z0-9+/]{4}){8,20}([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?|([A-Za-z0-9+/]{4}){21}([A-Za-z0-9+/][AQgw]==)?)',
  'expected "whsec_" and the base64 of 24 to 64 random bytes',
);

/** Returned as it is asked for. */
const WebhookUrl = z
  .string()
  .superRefine((text, context) => {
    const message = urlIssue(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .transform((text) => new URL(text).href);

/** The most alerts in one request. */
const BatchSize = z.int().min(2).max(LIMITS.channel.batch);

const WebhookBody = z.strictObject({
  id,
  kind: z.literal('webhook'),
  url: WebhookUrl,
  /** Two of them while one takes the place of the other: both sign. */
  secrets: z
    .array(SigningSecret)
    .min(1, 'expected one or two signing secrets')
    .max(LIMITS.channel.secrets, 'expected one or two signing secrets')
    .refine((secrets) => new Set(secrets).size === secrets.length, 'expected each secret once'),
  batchSize: BatchSize.exactOptional(),
});

const WebhookChannel = z.strictObject({
  id: z.string(),
  kind: z.literal('webhook'),
  url: z.string(),
  secrets: z.array(SealedSecret).readonly(),
  batchSize: z.int().exactOptional(),
});

export const webhook = {
  name: 'Webhook',
  service: 'webhook',
  words: {
    ...{ is: 'A server that receives each alert', also: ', signed' },
    members: {
      url: 'A public https URL, usually at port 443 or 8443. Before its first alert it receives `{"type": "challenge", "challenge": "…"}`, signed like an alert, and must answer with the text of `challenge` alone, or with a JSON object whose only member is `challenge`. A copy of the request is not accepted.',
      secrets:
        'One or two signing secrets, as in Standard Webhooks: `whsec_` and the base64 of 24 to 64 random bytes. Answers show `kept:…` instead, and a request with that text keeps the secret, unless the URL moves to another host. During a rotation there are two, and both sign.',
      batchSize:
        'The most alerts in one request, for a receiver that wants many at once when many fire: `{"type": "alerts", "alerts": […]}`, taken or refused as a whole, where more than one waits. A single one comes as without it.',
    },
  },
  kept: WebhookChannel,
  body: WebhookBody,
  forms: [
    [WebhookBody.shape.url, { format: 'uri', maxLength: 2000 }],
    [WebhookBody.shape.secrets, { uniqueItems: true }],
  ],
  isForPeople: false,
  acknowledged: () => 'nowhere',
  delivery: 'webhook',
  addressOf: ({ url }) => `webhook ${url}`,
  viewOf: (channel, show) => ({ ...channel, secrets: channel.secrets.map(show) }),

  secretsOf: ({ secrets }) =>
    secrets.map((secret, index) => ({ path: ['secrets', index], secret })),

  // An editor of the list that does not know the secret could have it sign for another host.
  namesRefused: ({ url }, known) =>
    new URL(known.url).host === new URL(url).host ? undefined : MOVED,

  issuesOf: ({ url }, known, rules) => {
    // The rest of a list can be edited though the rules of the stage have changed since.
    const wrong = known?.url === url ? undefined : placeIssue(url, rules);
    return wrong === undefined ? [] : [{ path: ['url'], message: wrong }];
  },

  keep: async (written, seal) => ({
    ...written,
    secrets: await Promise.all(written.secrets.map(seal)),
  }),
} satisfies ChannelKind<z.output<typeof WebhookChannel>, z.output<typeof WebhookBody>>;

const MOVED = 'expected the secret itself, since the webhook leads to another host';

/** Why this deployment asks no webhook there; undefined where it does. */
function placeIssue(url: string, { destinations, ports }: WebhookRules): string | undefined {
  // Of this very machine, which only a stack on it can mean.
  if (url.startsWith('http:'))
    return destinations === 'public' ? 'expected an https URL' : undefined;
  const port = Number(new URL(url).port || HTTPS);
  return ports.includes(port)
    ? undefined
    : `expected a URL with one of the ports ${ports.join(', ')}`;
}

/** The port that a URL does not say. */
const HTTPS = 443;

/** Why a text is not a URL that alerts may be posted to; undefined where it is. */
function urlIssue(text: string): string | undefined {
  const url = /^[!-~]+$/.test(text) ? URL.parse(text) : null;
  if (url === null) return 'expected a URL in ASCII, https://…';
  // It is kept as it is asked for, which may be longer.
  if (url.href.length > 2000) return 'expected at most 2000 characters';
  if (url.username !== '' || url.password !== '') return 'expected a URL without user information';
  if (text.includes('#')) return 'expected a URL without a fragment';
  if (/^http:\/\/127\.0\.0\.1:\d+\//.test(url.href)) return undefined;
  if (url.protocol !== 'https:') return 'expected an https URL';
  const address = addressIn(url);
  const isPublic = address === undefined ? isPublicName(url.hostname) : isPublicAddress(address);
  return isPublic ? undefined : 'expected a host with a public address';
}

/**
 * Whether a host's name can be one of the internet: names of one word and these are of a network.
 */
function isPublicName(hostname: string): boolean {
  const words = hostname.replace(/\.$/, '').split('.');
  return words.length > 1 && !['local', 'localhost', 'internal'].includes(words.at(-1) ?? '');
}
