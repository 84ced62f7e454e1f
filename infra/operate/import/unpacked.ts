import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';

/** What is read of a file at once. */
const PIECE = 16 * 1024;

/**
 * The bytes that a gzipped file holds, up to the last one before a fault; then the fault is thrown.
 * `noteRead` gets the number of bytes that were read so far.
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
    // A fault takes all with it that zlib has unpacked in one go, so its piece is unpacked bytewise.
    for await (const bytes of inflated(piecesOf(path, read, noteRead))) {
      const known = Math.min(sent, bytes.length);
      sent -= known;
      yield bytes.subarray(known);
    }
  }
}

/** A file piece by piece, but for the piece at one place, which comes byte by byte. */
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

/** What each piece unpacks to, in turn. */
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
      // A fault leaves its write without an answer.
      await Promise.race([over, new Promise((resolve) => gunzip.write(piece, resolve))]);
      yield taken();
    }
    // No file is a gzipped one when there is nothing in it.
    if (isEmpty) return;
    gunzip.end();
    await over;
    yield taken();
  } finally {
    gunzip.destroy();
  }
}
