import * as zlib from 'node:zlib';

/** More than any text that is packed. */
const MAX_BYTES = 16 * 1024 * 1024;

/** A text as gzip in base64: a page of the upstream becomes a fraction, within milliseconds. */
export async function packText(text: string): Promise<string> {
  const packed = await result((callback) =>
    zlib.gzip(text, { level: zlib.constants.Z_BEST_SPEED }, callback),
  );
  return packed.toString('base64');
}

/** The text again; rejects where nothing was packed. */
export async function unpackText(packed: string): Promise<string> {
  const bytes = Buffer.from(packed, 'base64');
  const text = await result((callback) =>
    zlib.gunzip(bytes, { maxOutputLength: MAX_BYTES }, callback),
  );
  return text.toString('utf8');
}

function result(work: (callback: zlib.CompressCallback) => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    work((error, bytes) => (error === null ? resolve(bytes) : reject(error)));
  });
}
