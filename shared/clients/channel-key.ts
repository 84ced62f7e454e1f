import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
} from 'node:crypto';
import { promisify } from 'node:util';
import { ChannelKeyError } from '#shared/domain/channels/channel-secret.ts';

/** The public or the private key with which secrets of channels are sealed or opened. */
export type ChannelKey = {
  /** Identical for both keys: eight hex digits of the SHA-256 of the public key. */
  readonly id: string;
  readonly key: KeyObject;
};

const BITS = 3072;

/** Generates the private key of a stage's channels: PKCS #8 in base64. */
export async function makeChannelKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: BITS });
  return privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
}

/** Whether a text is a valid private key. */
export function isChannelKey(text: string): boolean {
  try {
    privateKeyOf(text);
    return true;
  } catch {
    return false;
  }
}

/** The public key of a private one: SPKI in base64. Throws ChannelKeyError. */
export function publicHalfOf(channelKey: string): string {
  const half = createPublicKey(privateKeyOf(channelKey).key);
  return half.export({ format: 'der', type: 'spki' }).toString('base64');
}

/** Parses the private key, which opens secrets. Throws ChannelKeyError. */
export function privateKeyOf(text: string): ChannelKey {
  return read(text, (key) => createPrivateKey({ key, format: 'der', type: 'pkcs8' }));
}

/** Parses the public key, which seals secrets. Throws ChannelKeyError. */
export function publicKeyOf(text: string): ChannelKey {
  return read(text, (key) => createPublicKey({ key, format: 'der', type: 'spki' }));
}

function read(text: string, readKey: (der: Buffer) => KeyObject): ChannelKey {
  const der = Buffer.from(text, 'base64');
  try {
    const key = readKey(der);
    const isOurs = key.asymmetricKeyType === 'rsa' && der.toString('base64') === text;
    if (isOurs && key.asymmetricKeyDetails?.modulusLength === BITS) return { id: idOf(key), key };
  } catch {
    // The library's message may contain the key, so it is dropped.
  }
  throw new ChannelKeyError(`the channel key must be an RSA key of ${BITS} bits in base64`);
}

function idOf(key: KeyObject): string {
  const half = key.type === 'private' ? createPublicKey(key) : key;
  const der = half.export({ format: 'der', type: 'spki' });
  return createHash('sha256').update(der).digest('hex').slice(0, 8);
}
