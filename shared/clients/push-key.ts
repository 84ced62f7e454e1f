import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto';
import { ChannelKeyError } from '#shared/domain/channels/channel-secret.ts';
import { MissingSecretError, type ReadSecret } from './secrets.ts';

/** Node's name of P-256, the curve of Web Push. */
export const PUSH_CURVE = 'prime256v1';

/**
 * Generates the key pair of a stage for Web Push (RFC 8292); returns the private key, 32 bytes in
 * base64url.
 */
export function makePushKey(): string {
  const pair = createECDH(PUSH_CURVE);
  pair.generateKeys();
  // OpenSSL omits leading zeros.
  const scalar = pair.getPrivateKey('hex').padStart(64, '0');
  return Buffer.from(scalar, 'hex').toString('base64url');
}

/** Whether a text is a valid private key. */
export function isPushKey(text: string): boolean {
  if (!/^[\w-]{43}$/.test(text)) return false;
  try {
    publicPushKeyOf(text);
    return true;
  } catch {
    return false;
  }
}

/** The public key for browsers: an uncompressed point in base64url. */
export function publicPushKeyOf(pushKey: string): string {
  const pair = createECDH(PUSH_CURVE);
  pair.setPrivateKey(Buffer.from(pushKey, 'base64url'));
  return pair.getPublicKey('base64url');
}

/** Creates the reader of the private or the public key of the stage. Throws ChannelKeyError. */
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

/** Parses the private key for signing. */
export function signingKeyOf(pushKey: string): KeyObject {
  const point = Buffer.from(publicPushKeyOf(pushKey), 'base64url');
  const key = {
    ...{ kty: 'EC', crv: 'P-256', d: pushKey },
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  return createPrivateKey({ key, format: 'jwk' });
}
