import { promisify } from 'node:util';

/** More than any text that is packed. */
const MAX_BYTES = 16 * 1024 * 1024;

/** A text as gzip in base64: a page of the upstream becomes a fraction, within milliseconds. */
export async function packText(text: string): Promise<string> {
  // Loaded for the first text: it is milliseconds of a cold start.
  const { constants, gzip } = await import('node:zlib');
  const packed = await promisify(gzip)(text, { level: constants.Z_BEST_SPEED });
  return packed.toString('base64');
}

/** The text again; rejects where nothing was packed. */
export async function unpackText(packed: string): Promise<string> {
  const { unpack } = await import('./unpack.ts');
  const bytes = await unpack(Buffer.from(packed, 'base64'), 'gzip', MAX_BYTES);
  return bytes.toString('utf8');
}
