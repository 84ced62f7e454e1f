import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto';
import { ChannelKeyError } from '#shared/domain/channels/channel-secret.ts';
import { MissingSecretError, type ReadSecret } from './secrets.ts';

/** The curve of Web Push: P-256, by the name that Node has for it. */
export const PUSH_CURVE = 'prime256v1';

/** A new key pair of a stage for Web Push (RFC 8292): its private half, 32 bytes in base64url. */
export function makePushKey(): string {
  const pair = createECDH(PUSH_CURVE);
  pair.generateKeys();
  // OpenSSL leaves out leading zeros.
  const scalar = pair.getPrivateKey('hex').padStart(64, '0');
  return Buffer.from(scalar, 'hex').toString('base64url');
}

/** Whether a text is the private half of a key pair. */
export function isPushKey(text: string): boolean {
  if (!/^[\w-]{43}$/.test(text)) return false;
  try {
    publicPushKeyOf(text);
    return true;
  } catch {
    return false;
  }
}

/** The public half: an uncompressed point in base64url, as browsers take it. */
export function publicPushKeyOf(pushKey: string): string {
  const pair = createECDH(PUSH_CURVE);
  pair.setPrivateKey(Buffer.from(pushKey, 'base64url'));
  return pair.getPublicKey('base64url');
}

/** Reads one half of the stage's key pair. Throws ChannelKeyError. */
export function createPushKeyReader(read: ReadSecret): () => Promise<string> {
  return async () => {
    try {
      return (await read(false)).trim();
    } catch (error) {
      if (!(error instanceof MissingSecretError)) throw error;
      throw new ChannelKeyError('the key for Web Push is missing', { cause: error });
    }
  };
}

/** The private half as a key that signs. */
export function signingKeyOf(pushKey: string): KeyObject {
  const point = Buffer.from(publicPushKeyOf(pushKey), 'base64url');
  const key = {
    ...{ kty: 'EC', crv: 'P-256', d: pushKey },
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  return createPrivateKey({ key, format: 'jwk' });
}
