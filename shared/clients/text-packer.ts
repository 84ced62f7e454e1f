import { promisify } from 'node:util';

/** More than any text that is packed. */
const MAX_BYTES = 16 * 1024 * 1024;

/** A text as gzip in base64: a page of the upstream becomes a fraction, within milliseconds. */
export async function packText(text: string): Promise<string> {
  const { constants, gzip } = await zlib();
  const packed = await promisify(gzip)(text, { level: constants.Z_BEST_SPEED });
  return packed.toString('base64');
}

/** The text again; rejects where nothing was packed. */
export async function unpackText(packed: string): Promise<string> {
  const { gunzip } = await zlib();
  const bytes = Buffer.from(packed, 'base64');
  const text = await promisify(gunzip)(bytes, { maxOutputLength: MAX_BYTES });
  return text.toString('utf8');
}

/** Loaded for the first text: it is milliseconds of a cold start. */
function zlib() {
  return import('node:zlib');
}
