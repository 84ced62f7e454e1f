import { constants, createHash, type KeyObject, privateDecrypt, publicEncrypt } from 'node:crypto';
import { ChannelKeyError, type SecretPlace } from '#shared/domain/channels/channel-secret.ts';
import { type ChannelKey, privateKeyOf, publicKeyOf } from './channel-key.ts';
import { MissingSecretError, type ReadSecret } from './secrets.ts';

/**
 * Makes a secret of a channel unreadable for all but `open`; what `known` seals already under the
 * present key it gives back. Rejects with ChannelKeyError.
 */
export type Seal = (place: SecretPlace, secret: string, known?: string) => Promise<string>;

/** Rejects with SealError where it is not to be opened, with ChannelKeyError without a key. */
export type Open = (place: SecretPlace, sealed: string) => Promise<string>;

/** Thrown when what is sealed does not open: under another key, in another place, or tampered with. */
export class SealError extends Error {
  override readonly name = 'SealError';
  readonly code = 'seal_not_opened';
}

/**
 * The key, a digest and what RSA makes of the secret, each in base64url without spare bits. A long
 * secret is sealed in blocks; the digest covers the whole secret, so a replaced block is detected. It
 * also recognizes a secret that is given again, without opening it. Secrets are too long and too
 * random to be guessed from it.
 */
const FORMAT = /^v2\.(?<keyId>[0-9a-f]{8})\.(?<digest>[\w-]{24})\.(?<bytes>([\w-]{512}){1,4})$/;
/** Bytes of a block before and after RSA-OAEP with 3072 bits (RFC 8017, 7.1.1). */
const BLOCK = 318;
const SEALED_BLOCK = 384;
const OAEP = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' } as const;

/**
 * Seals by RSA-OAEP (RFC 8017) under the public key of the stack. What is sealed names its key, so
 * that a changed key is distinguished from tampering, and its place is OAEP's label, so that it
 * opens nowhere else.
 */
export function createSeal(readPublicKey: ReadSecret): Seal {
  const readKey = createKeyReader(readPublicKey, publicKeyOf);
  return async (place, secret, known = '') => {
    const { id, key } = await readKey(false);
    const beginning = `v2.${id}.${digestOf(place, secret)}.`;
    if (known.startsWith(beginning)) return known;
    const sealed = blocksOf(Buffer.from(secret), BLOCK).map((block) =>
      publicEncrypt({ ...OAEP, key, oaepLabel: labelOf(place) }, block).toString('base64url'),
    );
    return `${beginning}${sealed.join('')}`;
  };
}

/** Opens what was sealed, with the private key of the stack. */
export function createOpen(readPrivateKey: ReadSecret): Open {
  const readKey = createKeyReader(readPrivateKey, privateKeyOf);
  /** The key that something is sealed under: the remembered one, or the one that took its place. */
  const keyFor = async (keyId: string): Promise<KeyObject | undefined> => {
    const remembered = await readKey(false);
    const found = remembered.id === keyId ? remembered : await readKey(true);
    return found.id === keyId ? found.key : undefined;
  };

  return async (place, sealed) => {
    const { keyId = '', digest, bytes = '' } = FORMAT.exec(sealed)?.groups ?? {};
    const key = await keyFor(keyId);
    if (key === undefined) throw new SealError('sealed under another key: give the secret again');
    const secret = decrypt(key, place, Buffer.from(bytes, 'base64url'));
    if (digestOf(place, secret) !== digest) throw new SealError('what is sealed was changed');
    return secret;
  };
}

/** Reads a key, and parses each text of it once: that takes longer than to seal. */
function createKeyReader(
  readText: ReadSecret,
  parse: (text: string) => ChannelKey,
): (refresh: boolean) => Promise<ChannelKey> {
  let last: { readonly text: string; readonly key: ChannelKey } | undefined;
  return async (refresh) => {
    const text = await textOf(readText, refresh);
    if (last?.text !== text) last = { text, key: parse(text.trim()) };
    return last.key;
  };
}

async function textOf(read: ReadSecret, refresh: boolean): Promise<string> {
  try {
    return await read(refresh);
  } catch (error) {
    if (!(error instanceof MissingSecretError)) throw error;
    throw new ChannelKeyError('the channel key is missing', { cause: error });
  }
}

function decrypt(key: KeyObject, place: SecretPlace, bytes: Buffer): string {
  try {
    const blocks = blocksOf(bytes, SEALED_BLOCK).map((block) =>
      privateDecrypt({ ...OAEP, key, oaepLabel: labelOf(place) }, block),
    );
    return Buffer.concat(blocks).toString();
  } catch (error) {
    throw new SealError('what is sealed is of another place, or was changed', { cause: error });
  }
}

function blocksOf(bytes: Buffer, size: number): readonly Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) || 1 }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

function digestOf(place: SecretPlace, secret: string): string {
  const digest = createHash('sha256').update(labelOf(place)).update(secret).digest();
  return digest.subarray(0, 18).toString('base64url');
}

function labelOf({ tenant, list, channel }: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify([tenant, list, channel]));
}
