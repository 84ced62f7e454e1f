import { createDecipheriv, createECDH, createPublicKey, hkdfSync, verify } from 'node:crypto';
import * as z from 'zod';
import {
  type ChatDouble,
  type DoubleAnswer,
  ImageUrl,
  PageUrl,
  readMessage,
} from '#shared/channels/chat-double.ts';
import { JsonText } from '#shared/domain/json-text.ts';
import { HOUR, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { PushBody } from './kind.ts';

/** The keys of the fake device, from the example in RFC 8291. */
const DEVICE = {
  privateKey: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};

/**
 * A fake of the push services of all browsers, with a device that decrypts each message. It checks
 * the signature, its audience and expiry, and the headers of a message (RFC 8030, 8188, 8291,
 * 8292).
 */
export const pushDouble: ChatDouble<PushBody> = {
  channel: {
    ...{ id: 'phone', kind: 'push', device: 'Chrome on Android' },
    endpoint: `https://fcm.googleapis.com/fcm/send/phone:${'phone'.repeat(20)}`,
    p256dh: DEVICE.p256dh,
    auth: DEVICE.auth,
  },
  create: (now) => {
    /** The sender's key of each subscription. A push service rejects all other keys. */
    const keys = new Map<string, string>();
    return (post) => {
      const service = SERVICES.find(({ path }) => path.test(post.path));
      if (service === undefined) return refusal(404, `there is no subscription at ${post.path}`);
      const signature = signatureOf(post.headers?.authorization, service.origin, now());
      if ('issue' in signature) return refusal(403, signature.issue);
      const known = keys.get(post.path) ?? signature.key;
      if (known !== signature.key)
        return refusal(403, 'the subscription belongs to another VAPID key');
      const headers = Headers.safeParse(post.headers);
      if (!headers.success) return refusal(400, z.prettifyError(headers.error));
      const sent = post.bytes ?? Buffer.alloc(0);
      if (sent.length > 4096)
        return refusal(413, `expected at most 4096 bytes, found ${sent.length}`);
      const text = decrypted(sent);
      if (text === undefined) return refusal(410, 'the fake device cannot decrypt the message');
      const read = readMessage(Message, text);
      if ('issue' in read) return refusal(400, read.issue);
      keys.set(post.path, known);
      const { message } = read;
      const { host: to } = new URL(service.origin);
      return { status: 201, body: '', taken: { to, subject: message.title, message } };
    };
  },
};

/** The paths of subscriptions at each service. */
const SERVICES = [
  { origin: 'https://fcm.googleapis.com', path: /^\/(fcm\/send|wp)\/[\w:%-]+$/ },
  { origin: 'https://updates.push.services.mozilla.com', path: /^\/wpush\/v\d\/[\w=-]+$/ },
  { origin: 'https://web.push.apple.com', path: /^\/Q[\w-]+$/ },
  { origin: 'https://wns2-by3p.notify.windows.com', path: /^\/w\/$/ },
];

function refusal(status: number, reason: string): DoubleAnswer {
  return { status, body: '', issue: `Web Push: ${reason}` };
}

type Signature = { readonly key: string } | { readonly issue: string };

/**
 * The key that signed a request, if the signature is valid for this service and has not expired.
 */
function signatureOf(authorization: string | undefined, origin: string, now: number): Signature {
  const [, head = '', body = '', signature = '', key = ''] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]{86}), ?k=(B[\w-]{86})$/.exec(authorization ?? '') ?? [];
  if (key === '') return { issue: 'the request is not signed' };
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) =>
    half.toString('base64url'),
  );
  const publicKey = createPublicKey({
    ...{ key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }, format: 'jwk' },
  });
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned) return { issue: 'the signature is invalid' };
  const [header, claims] = [head, body].map((part) => Buffer.from(part, 'base64url').toString());
  if (!Header.safeParse(header).success) return { issue: 'expected a JWT signed with ES256' };
  const read = Claims.safeParse(claims);
  if (!read.success) return { issue: z.prettifyError(read.error) };
  const { aud, exp } = read.data;
  if (aud !== origin) return { issue: `expected a signature for ${origin}, found one for ${aud}` };
  const left = exp * SECOND - now;
  if (left <= 0 || left > 24 * HOUR + MINUTE)
    return { issue: 'expected a signature that expires within 24 hours' };
  return { key };
}

const Header = JsonText.pipe(z.object({ typ: z.literal('JWT'), alg: z.literal('ES256') }));
const Claims = JsonText.pipe(
  z.object({ aud: z.string(), exp: z.int(), sub: PageUrl.or(z.string().startsWith('mailto:')) }),
);

const Headers = z.object({
  'content-encoding': z.literal('aes128gcm'),
  ttl: z.string().regex(/^\d+$/),
  urgency: z.enum(['very-low', 'low', 'normal', 'high']).optional(),
  topic: z
    .string()
    .regex(/^[\w-]{1,32}$/)
    .optional(),
});

/** The decrypted text; undefined if the message is for another device. */
function decrypted(sent: Buffer): string | undefined {
  try {
    const idLength = sent.readUInt8(20);
    const salt = sent.subarray(0, 16);
    const sender = sent.subarray(21, 21 + idLength);
    const device = createECDH('prime256v1');
    device.setPrivateKey(DEVICE.privateKey, 'base64url');
    const about = Buffer.concat([Buffer.from('WebPush: info\0'), device.getPublicKey(), sender]);
    const auth = Buffer.from(DEVICE.auth, 'base64url');
    const material = hkdfSync('sha256', device.computeSecret(sender), auth, about, 32);
    const derive = (use: string, bytes: number) =>
      Buffer.from(
        hkdfSync('sha256', Buffer.from(material), salt, `Content-Encoding: ${use}\0`, bytes),
      );
    const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
    decipher.setAuthTag(sent.subarray(-16));
    const record = sent.subarray(21 + idLength, -16);
    const padded = Buffer.concat([decipher.update(record), decipher.final()]);
    // The delimiter 2 and any number of zeros end the last record.
    return padded.toString().replaceAll('\0', '').slice(0, -1);
  } catch {
    return undefined;
  }
}

/** The arguments of the service worker's `showNotification`. */
const Message = z.strictObject({
  title: z.string().min(1),
  options: z
    .strictObject({
      body: z.string(),
      tag: z.string().min(1),
      renotify: z.boolean(),
      silent: z.boolean(),
      image: ImageUrl.optional(),
      actions: z.array(z.strictObject({ action: z.string(), title: z.string() })).max(2),
      data: z.strictObject({ address: PageUrl.nullable() }),
    })
    .refine(
      ({ silent, renotify }) => !(silent && renotify),
      'a silent notification cannot use renotify',
    ),
});
