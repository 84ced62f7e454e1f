import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';

/** Number of bytes of each read. */
const PIECE = 16 * 1024;

/**
 * The content of a gzipped file. Yields every byte before an error in the data, then throws the
 * error. `noteRead` gets the number of compressed bytes read so far.
 */
export async function* unpacked(
  path: string,
  noteRead: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let read = 0;
  let sent = 0;
  try {
    for await (const bytes of inflated(piecesOf(path, undefined, noteRead))) {
      yield bytes;
      sent += bytes.length;
      read += PIECE;
    }
  } catch {
    // After an error in the data, zlib discards the output of the whole write. So the broken piece
    // is written again, byte by byte.
    for await (const bytes of inflated(piecesOf(path, read, noteRead))) {
      const known = Math.min(sent, bytes.length);
      sent -= known;
      yield bytes.subarray(known);
    }
  }
}

/** The pieces of a file; the piece at `slowAt` is split into single bytes. */
async function* piecesOf(
  path: string,
  slowAt: number | undefined,
  noteRead: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const piece of createReadStream(path, { highWaterMark: PIECE })) {
    const bytes = Buffer.from(piece);
    if (at === slowAt) for (const byte of bytes) yield Buffer.of(byte);
    else yield bytes;
    at += bytes.length;
    noteRead(at);
  }
}

/** The unpacked output of each piece, in order. */
async function* inflated(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  let output: Buffer[] = [];
  const taken = () => {
    const bytes = Buffer.concat(output);
    output = [];
    return bytes;
  };
  gunzip.on('data', (bytes: Buffer) => output.push(bytes));
  const over = new Promise<void>((resolve, reject) => {
    gunzip.once('end', resolve).once('error', reject);
  });
  over.catch(() => undefined);
  let isEmpty = true;
  try {
    for await (const piece of pieces) {
      isEmpty = false;
      // On an error zlib never calls the callback of the write.
      await Promise.race([over, new Promise((resolve) => gunzip.write(piece, resolve))]);
      yield taken();
    }
    // An empty file is not valid gzip, but not an error either.
    if (isEmpty) return;
    gunzip.end();
    await over;
    yield taken();
  } finally {
    gunzip.destroy();
  }
}
