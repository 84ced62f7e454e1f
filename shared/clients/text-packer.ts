import { promisify } from 'node:util';

/** Maximum size of an unpacked text. Real texts are smaller. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Compresses a text with gzip and encodes it in base64. A page of the upstream shrinks to a
 * fraction of its size within milliseconds.
 */
export async function packText(text: string): Promise<string> {
  // Load zlib for the first text only, because loading it adds milliseconds to a cold start.
  const { constants, gzip } = await import('node:zlib');
  const packed = await promisify(gzip)(text, { level: constants.Z_BEST_SPEED });
  return packed.toString('base64');
}

/** Decompresses a packed text; rejects any other text. */
export async function unpackText(packed: string): Promise<string> {
  const { unpack } = await import('./unpack.ts');
  const bytes = await unpack(Buffer.from(packed, 'base64'), 'gzip', MAX_BYTES);
  return bytes.toString('utf8');
}
