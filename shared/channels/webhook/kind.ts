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

/** A signing secret according to Standard Webhooks: 24 to 64 bytes in canonical base64. */
const SigningSecret = z.lazy(() =>
  secretOf(
    'whsec_(([A-Za-z0-9+/]{4}){8,20}([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?|([A-Za-z0-9+/]{4}){21}([A-Za-z0-9+/][AQgw]==)?)',
    'expected "whsec_" followed by 24 to 64 random bytes in base64',
  ),
);

/** Normalized, so that responses show the URL that is called. */
const WebhookUrl = z.lazy(() =>
  z
    .string()
    .superRefine((text, context) => {
      const message = urlIssue(text);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .transform((text) => new URL(text).href),
);

/** Maximum number of alerts in one request. */
const BatchSize = z.lazy(() => z.int().min(2).max(LIMITS.channel.batch));

/** One secret, or two while a secret is being replaced. Messages are signed with all of them. */
const SigningSecrets = z.lazy(() =>
  z
    .array(SigningSecret)
    .min(1, 'expected one or two signing secrets')
    .max(LIMITS.channel.secrets, 'expected one or two signing secrets')
    .refine(
      (secrets) => new Set(secrets).size === secrets.length,
      'expected two different signing secrets',
    ),
);

const WebhookBody = z.lazy(() =>
  z.strictObject({
    id,
    kind: z.literal('webhook'),
    url: WebhookUrl,
    secrets: SigningSecrets,
    batchSize: BatchSize.exactOptional(),
  }),
);

const WebhookChannel = z.lazy(() =>
  z.strictObject({
    id: z.string(),
    kind: z.literal('webhook'),
    url: z.string(),
    secrets: z.array(SealedSecret).readonly(),
    batchSize: z.int().exactOptional(),
  }),
);

export const webhook = {
  name: 'Webhook',
  service: 'webhook',
  words: {
    ...{ is: 'A server that receives each alert', also: ', signed' },
    members: {
      url: 'A public https URL, usually on port 443 or 8443. Before its first alert it receives `{"type": "challenge", "challenge": "…"}`, signed like an alert, and must respond with the text of `challenge` alone, or with a JSON object whose only member is `challenge`. A copy of the request is not a valid response.',
      secrets:
        'One or two signing secrets, as in Standard Webhooks: `whsec_` followed by 24 to 64 random bytes in base64. Responses show `kept:…` instead, and a request with that text keeps the secret, unless the URL moves to another host. During a rotation, specify both secrets: each request is signed with both.',
      batchSize:
        'The maximum number of alerts in one request. If more than one alert is waiting, the body is `{"type": "alerts", "alerts": […]}`, which is accepted or rejected as a whole. A single alert is sent without this envelope.',
    },
  },
  kept: WebhookChannel,
  body: WebhookBody,
  forms: [
    [WebhookUrl, { format: 'uri', maxLength: 2000 }],
    [SigningSecrets, { uniqueItems: true }],
  ],
  isForPeople: false,
  acknowledged: () => 'nowhere',
  delivery: 'webhook',
  addressOf: ({ url }) => `webhook ${url}`,
  viewOf: (channel, show) => ({ ...channel, secrets: channel.secrets.map(show) }),

  secretsOf: ({ secrets }) =>
    secrets.map((secret, index) => ({ path: ['secrets', index], secret })),

  // A changed host requires the secrets: otherwise editors who do not have them could obtain
  // signatures for another host.
  namesRefused: ({ url }, known) =>
    new URL(known.url).host === new URL(url).host ? undefined : MOVED,

  issuesOf: ({ url }, known, rules) => {
    // An unchanged URL is not checked, so that other parts of a list can be edited after the rules
    // of the stage have changed.
    const wrong = known?.url === url ? undefined : placeIssue(url, rules);
    return wrong === undefined ? [] : [{ path: ['url'], message: wrong }];
  },

  keep: async (written, seal) => ({
    ...written,
    secrets: await Promise.all(written.secrets.map(seal)),
  }),
} satisfies ChannelKind<z.output<typeof WebhookChannel>, z.output<typeof WebhookBody>>;

const MOVED = 'expected the full secret, because the host of the URL has changed';

/** Why this deployment cannot call the webhook; undefined if it can. */
function placeIssue(url: string, { destinations, ports }: WebhookRules): string | undefined {
  // `http:` is the local machine, so only a local stack allows it.
  if (url.startsWith('http:')) return destinations === 'public' ? HTTPS_EXPECTED : undefined;
  const port = Number(new URL(url).port || HTTPS);
  return ports.includes(port)
    ? undefined
    : `expected a URL with one of the ports ${ports.join(', ')}`;
}

const HTTPS_EXPECTED =
  'expected an https URL with a public host; only a local stack calls this machine, by URLs such as http://127.0.0.1:9000/';

/** The default port of https. */
const HTTPS = 443;

/** Why a text is not a valid webhook URL; undefined if it is. */
function urlIssue(text: string): string | undefined {
  const url = /^[!-~]+$/.test(text) ? URL.parse(text) : null;
  if (url === null) return 'expected a valid URL in ASCII that starts with https://';
  // The limit applies to the normalized URL, which is stored and may be longer.
  if (url.href.length > 2000) return 'expected at most 2000 characters';
  if (url.username !== '' || url.password !== '')
    return 'expected a URL without a user name or password';
  if (text.includes('#')) return 'expected a URL without a fragment';
  if (/^http:\/\/127\.0\.0\.1:\d+\//.test(url.href)) return undefined;
  if (url.protocol !== 'https:' || url.hostname === 'localhost') return HTTPS_EXPECTED;
  const address = addressIn(url);
  const isPublic = address === undefined ? isPublicName(url.hostname) : isPublicAddress(address);
  return isPublic ? undefined : 'expected a host with a public address';
}

/**
 * Whether a host name can be on the internet. Names without a dot, and names in these domains, are
 * local.
 */
function isPublicName(hostname: string): boolean {
  const words = hostname.replace(/\.$/, '').split('.');
  return words.length > 1 && !['local', 'localhost', 'internal'].includes(words.at(-1) ?? '');
}
