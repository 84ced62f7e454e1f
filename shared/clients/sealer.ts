import { constants, createHash, type KeyObject, privateDecrypt, publicEncrypt } from 'node:crypto';
import { ChannelKeyError, type SecretPlace } from '#shared/domain/channels/channel-secret.ts';
import { type ChannelKey, privateKeyOf, publicKeyOf } from './channel-key.ts';
import { MissingSecretError, type ReadSecret } from './secrets.ts';

/**
 * Seals a secret of a channel, so that only `open` can read it. `known` is an earlier sealed text;
 * it is returned if it contains the same secret, sealed with the current key. Rejects with
 * ChannelKeyError without a valid key.
 */
export type Seal = (place: SecretPlace, secret: string, known?: string) => Promise<string>;

/**
 * Opens a sealed secret. Rejects with SealError if the text cannot be opened, and with
 * ChannelKeyError without a valid key.
 */
export type Open = (place: SecretPlace, sealed: string) => Promise<string>;

/** Thrown if a sealed secret belongs to another key or another channel, or was tampered with. */
export class SealError extends Error {
  override readonly name = 'SealError';
  readonly code = 'seal_not_opened';
}

/**
 * The key id, a digest and the RSA ciphertext, in canonical base64url. Long secrets are sealed in
 * blocks. The digest covers the whole secret, so a replaced block is detected. A repeated secret is
 * also recognized by the digest, without opening it. Secrets are too long and too random to be
 * guessed from the digest.
 */
const FORMAT = /^v2\.(?<keyId>[0-9a-f]{8})\.(?<digest>[\w-]{24})\.(?<bytes>([\w-]{512}){1,4})$/;
/** Bytes of a block before and after RSA-OAEP with 3072 bits (RFC 8017, 7.1.1). */
const BLOCK = 318;
const SEALED_BLOCK = 384;
const OAEP = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' } as const;

/**
 * Seals with RSA-OAEP (RFC 8017) and the public key of the stack. The result has the id of its key,
 * so that a replaced key is distinguished from tampering. The label is the channel, so the secret
 * cannot be opened for another channel.
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

/** Opens sealed secrets with the private key of the stack. */
export function createOpen(readPrivateKey: ReadSecret): Open {
  const readKey = createKeyReader(readPrivateKey, privateKeyOf);
  /** The key that opens a sealed secret: the cached key, or a newer key from SSM. */
  const keyFor = async (keyId: string): Promise<KeyObject | undefined> => {
    const remembered = await readKey(false);
    const found = remembered.id === keyId ? remembered : await readKey(true);
    return found.id === keyId ? found.key : undefined;
  };

  return async (place, sealed) => {
    const { keyId = '', digest, bytes = '' } = FORMAT.exec(sealed)?.groups ?? {};
    const key = await keyFor(keyId);
    if (key === undefined)
      throw new SealError('the secret was encrypted with another key: enter the secret again');
    const secret = decrypt(key, place, Buffer.from(bytes, 'base64url'));
    if (digestOf(place, secret) !== digest)
      throw new SealError('the stored secret was changed: enter it again');
    return secret;
  };
}

/** Reads a key and caches the parsed form, because parsing takes longer than sealing. */
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
    throw new SealError(
      'the stored secret was changed or belongs to another channel: enter it again',
      { cause: error },
    );
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
