import { createCipheriv, createECDH, hkdfSync, sign } from 'node:crypto';
import { HOUR, type Instant, SECOND } from '#shared/domain/market/instant.ts';
import { PUSH_CURVE, publicPushKeyOf, signingKeyOf } from './push-key.ts';

/** The keys of a browser's subscription, in base64url. */
export type DeviceKeys = { readonly p256dh: string; readonly auth: string };

/** The random inputs of each encryption: 16 random bytes and a private key that is used once. */
export type PushRandomness = { readonly salt: Buffer; readonly privateKey: Buffer };

const RECORD_SIZE = 4096;

/**
 * The maximum length of a text in a message of 4096 bytes, the size that all push services accept
 * (RFC 8291, section 4).
 */
export const MOST_PUSH_BYTES = 3993;

/**
 * Encrypts a text for a device, as one record of `aes128gcm` (RFC 8291, RFC 8188). Undefined if the
 * key of the device is not a point of the curve.
 */
export function encryptPush(
  text: string,
  { p256dh, auth }: DeviceKeys,
  { salt, privateKey }: PushRandomness,
): Buffer | undefined {
  const device = Buffer.from(p256dh, 'base64url');
  const sender = createECDH(PUSH_CURVE);
  sender.setPrivateKey(privateKey);
  const shared = sharedSecret(sender, device);
  if (shared === undefined) return undefined;
  const own = sender.getPublicKey();
  const about = Buffer.concat([Buffer.from('WebPush: info\0'), device, own]);
  const material = derive(shared, Buffer.from(auth, 'base64url'), about, 32);
  const key = derive(material, salt, 'Content-Encoding: aes128gcm\0', 16);
  const nonce = derive(material, salt, 'Content-Encoding: nonce\0', 12);
  const header = Buffer.alloc(21);
  salt.copy(header);
  header.writeUInt32BE(RECORD_SIZE, 16);
  header.writeUInt8(own.length, 20);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  // The delimiter 2 marks the last record.
  const sealed = [cipher.update(text, 'utf8'), cipher.update(Buffer.of(2)), cipher.final()];
  return Buffer.concat([header, own, ...sealed, cipher.getAuthTag()]);
}

function sharedSecret(sender: ReturnType<typeof createECDH>, device: Buffer): Buffer | undefined {
  try {
    return sender.computeSecret(device);
  } catch {
    return undefined;
  }
}

function derive(material: Buffer, salt: Buffer, info: string | Buffer, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', material, salt, info, bytes));
}

/** Push services reject signatures that are valid for more than a day. */
const SIGNED_FOR = 12 * HOUR;

export type Vapid = {
  /** The private key of the stage. */
  readonly key: string;
  /** A contact address of the stage's operators, for the operators of push services. */
  readonly contact: string;
  readonly now: Instant;
};

/** Identifies the stage to the push service of an endpoint (RFC 8292). */
export function vapidAuthorization(endpoint: URL, { key, contact, now }: Vapid): string {
  const claims = {
    aud: endpoint.origin,
    exp: Math.floor((now + SIGNED_FOR) / SECOND),
    sub: contact,
  };
  const signed = [{ typ: 'JWT', alg: 'ES256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(signed), {
    key: signingKeyOf(key),
    dsaEncoding: 'ieee-p1363',
  });
  const token = `${signed}.${signature.toString('base64url')}`;
  return `vapid t=${token}, k=${publicPushKeyOf(key)}`;
}
