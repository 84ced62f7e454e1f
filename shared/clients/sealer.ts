import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { ChannelKeyError, type SecretPlace } from '#shared/domain/channels/channel-secret.ts';
import { MissingSecretError, type ReadSecret } from './secrets.ts';

/** Makes secrets of channels unreadable for whoever reads the table, and readable again. */
export type Sealer = {
  /**
   * Seals a secret for its place; what `known` seals already under the present key it gives back.
   * Rejects with ChannelKeyError.
   */
  readonly seal: (place: SecretPlace, secret: string, known?: string) => Promise<string>;
  /** Rejects with SealError where it is not to be opened, with ChannelKeyError without a key. */
  readonly open: (place: SecretPlace, sealed: string) => Promise<string>;
};

/** Thrown when what is sealed does not open: under another key, in another place, or tampered with. */
export class SealError extends Error {
  override readonly name = 'SealError';
  readonly code = 'seal_not_opened';
}

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORMAT = /^v1\.(?<keyId>[0-9a-f]{8})\.(?<bytes>[\w-]+)$/;

/**
 * AES-256-GCM under the key of the stack, 32 bytes in base64. What is sealed names its key, so that a
 * changed key is told from tampering, and is bound to its place, so that it opens nowhere else.
 */
export function createSealer(
  readKey: ReadSecret,
  randomBytes: (size: number) => Uint8Array,
): Sealer {
  const keyOf = async (refresh: boolean): Promise<Key> => {
    try {
      return parseKey(await readKey(refresh));
    } catch (error) {
      if (!(error instanceof MissingSecretError)) throw error;
      throw new ChannelKeyError('the channel key is missing', { cause: error });
    }
  };
  /** The key that something is sealed under: the remembered one, or the one that took its place. */
  const keyFor = async (keyId: string): Promise<Key | undefined> => {
    const remembered = await keyOf(false);
    const key = remembered.id === keyId ? remembered : await keyOf(true);
    return key.id === keyId ? key : undefined;
  };

  const open = async (place: SecretPlace, sealed: string): Promise<string> => {
    const { keyId = '', bytes = '' } = FORMAT.exec(sealed)?.groups ?? {};
    const key = await keyFor(keyId);
    if (key === undefined) throw new SealError('sealed under another key: give the secret again');
    return decrypt(key, place, Buffer.from(bytes, 'base64url'));
  };

  const opensTo = async (secret: string, place: SecretPlace, sealed: string): Promise<boolean> => {
    try {
      return (await open(place, sealed)) === secret;
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      return false;
    }
  };

  return {
    seal: async (place, secret, known) => {
      if (known !== undefined && (await opensTo(secret, place, known))) return known;
      const key = await keyOf(false);
      const bytes = encrypt(key, place, randomBytes(NONCE_BYTES), secret);
      return `v1.${key.id}.${bytes.toString('base64url')}`;
    },
    open,
  };
}

type Key = { readonly id: string; readonly bytes: Buffer };

function parseKey(text: string): Key {
  const bytes = Buffer.from(text.trim(), 'base64');
  if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== text.trim()) {
    throw new ChannelKeyError(`the channel key is not ${KEY_BYTES} bytes in base64`);
  }
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 8), bytes };
}

/** Nonce, text and tag. */
function encrypt(key: Key, place: SecretPlace, nonce: Uint8Array, secret: string): Buffer {
  const cipher = createCipheriv(CIPHER, key.bytes, nonce);
  cipher.setAAD(textOf(place));
  return Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Key, place: SecretPlace, bytes: Buffer): string {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new SealError('what is sealed is cut short');
  const decipher = createDecipheriv(CIPHER, key.bytes, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(textOf(place));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch (error) {
    throw new SealError('what is sealed is of another place, or was changed', { cause: error });
  }
}

function textOf({ tenant, list, channel }: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify([tenant, list, channel]));
}
