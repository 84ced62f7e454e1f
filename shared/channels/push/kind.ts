import * as z from 'zod';
import {
  type ChannelKind,
  id,
  QUIET,
  quiet,
  SECRET,
  secretOf,
} from '#shared/channels/channel-kind.ts';
import { nameOfSecret, SealedSecret } from '#shared/domain/channels/channel-secret.ts';

/** The push services of Chrome, Firefox, Safari and Edge. All other hosts are rejected. */
const SERVICES = [
  'fcm\\.googleapis\\.com',
  'updates\\.push\\.services\\.mozilla\\.com',
  '([a-z0-9-]{1,63}\\.){1,4}push\\.apple\\.com',
  '([a-z0-9-]{1,63}\\.){1,4}notify\\.windows\\.com',
].join('|');

/**
 * The endpoint of a subscription. Endpoints of Windows are the longest, with up to 1024 characters
 * including the host.
 */
const ENDPOINT_FORM = `https://(${SERVICES})/[\\w.:%?=&~+/-]{10,1000}`;

/** A point of P-256, and 16 random bytes, in base64url without padding. */
const P256DH_FORM = 'B[\\w-]{86}';
const AUTH_FORM = '[\\w-]{22}';

/** Whether all members of a subscription are well-formed. */
export function isSubscription({
  endpoint,
  p256dh,
  auth,
}: Pick<PushBody, 'endpoint' | 'p256dh' | 'auth'>): boolean {
  return (
    new RegExp(`^${ENDPOINT_FORM}$`).test(endpoint) &&
    new RegExp(`^${P256DH_FORM}$`).test(p256dh) &&
    new RegExp(`^${AUTH_FORM}$`).test(auth)
  );
}

const device = z.lazy(() =>
  z
    .string()
    .regex(/^[^\p{C}]{1,60}$/u, 'expected 1 to 60 characters on one line')
    .optional(),
);

const PushChannel = z.lazy(() =>
  z.strictObject({
    id: z.string(),
    kind: z.literal('push'),
    quiet,
    device: z.string().optional(),
    endpoint: SealedSecret,
    p256dh: z.string(),
    auth: SealedSecret,
  }),
);

const PushBody = z.lazy(() =>
  z.strictObject({
    id,
    kind: z.literal('push'),
    quiet,
    device,
    endpoint: secretOf(
      ENDPOINT_FORM,
      'expected an endpoint of fcm.googleapis.com, updates.push.services.mozilla.com, push.apple.com or notify.windows.com',
    ),
    p256dh: z
      .string()
      .regex(
        new RegExp(`^${P256DH_FORM}$`),
        'expected "keys.p256dh" of a push subscription: 87 characters in base64url',
      ),
    auth: secretOf(
      AUTH_FORM,
      'expected "keys.auth" of a push subscription: 22 characters in base64url',
    ),
  }),
);
export type PushBody = z.output<typeof PushBody>;

export const push = {
  name: 'Push',
  service: 'Web Push',
  words: {
    is: 'A browser on a device, notified by Web Push',
    also: ': its subscription (`PushSubscription.toJSON()`), created with the key from `GET /v1/push-key`',
    members: {
      quiet: QUIET,
      device: 'The name of the device, such as `Chrome on Android`.',
      endpoint: `The endpoint of the subscription. ${SECRET}`,
      p256dh: 'The public key of the subscription, `keys.p256dh`.',
      auth: `The authentication secret of the subscription, \`keys.auth\`. ${SECRET}`,
    },
  },
  kept: PushChannel,
  body: PushBody,
  forms: [],
  isForPeople: true,
  acknowledged: () => 'nowhere',
  delivery: 'chat',
  addressOf: ({ endpoint }) => `push ${nameOfSecret(endpoint)}`,
  viewOf: (channel, show) => ({
    ...channel,
    endpoint: show(channel.endpoint),
    auth: show(channel.auth),
  }),
  secretsOf: ({ endpoint, auth }) => [
    { path: ['endpoint'], secret: endpoint },
    { path: ['auth'], secret: auth },
  ],
  // With the key of another device, the owner of the endpoint could not decrypt the messages.
  namesRefused: ({ p256dh }, known) =>
    known.p256dh === p256dh ? undefined : 'expected the full secret, because "p256dh" has changed',
  issuesOf: () => [],
  keep: async (written, seal) => ({
    ...written,
    endpoint: await seal(written.endpoint),
    auth: await seal(written.auth),
  }),
} satisfies ChannelKind<z.output<typeof PushChannel>, PushBody>;
