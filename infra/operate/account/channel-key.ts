import { createPrivateKey, createPublicKey, generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { CHANNEL_KEY_BITS } from '#shared/clients/sealer.ts';

/** A new key of a stage's channels: the half that opens, PKCS #8 in base64. */
export async function makeChannelKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: CHANNEL_KEY_BITS,
  });
  return privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
}

/** Whether a text is such a key. */
export function isChannelKey(text: string): boolean {
  try {
    return publicHalfOf(text) !== '';
  } catch {
    return false;
  }
}

/** The half of it that seals and opens nothing, SPKI in base64. */
export function publicHalfOf(channelKey: string): string {
  const key = Buffer.from(channelKey, 'base64');
  const half = createPublicKey(createPrivateKey({ key, format: 'der', type: 'pkcs8' }));
  return half.export({ format: 'der', type: 'spki' }).toString('base64');
}
