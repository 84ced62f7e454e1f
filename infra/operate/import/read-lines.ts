import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import type { DataFile } from './data-files.ts';

/** A line of a file, from 1, or why it cannot be read. */
export type Line = { readonly number: number } & (
  | { readonly text: string }
  | { readonly problem: string }
);

export type LineReader = {
  /** In order, without those that are blank; of a file that breaks off, the last is a problem. */
  readonly lines: () => AsyncGenerator<Line>;
  /** How much of the file was read so far. */
  readonly bytesRead: () => number;
};

/** A line that is longer is never kept in memory. */
const MOST_BYTES = 2 * 1024 * 1024;
const NEW_LINE = 10;

/** Reads a file line by line, gzipped or not, in little memory however long it or its lines are. */
export function createLineReader({ path, bytes }: DataFile): LineReader {
  const stored = createReadStream(path);
  return {
    bytesRead: () => stored.bytesRead,

    lines: async function* () {
      // No file is a gzipped one when there is nothing in it.
      const isPacked = path.endsWith('.gz') && bytes > 0;
      const plain = isPacked ? stored.pipe(createGunzip()) : stored;
      stored.on('error', (error) => plain.destroy(error));
      const line = createLine();
      let number = 1;
      try {
        for await (const chunk of plain) {
          const end = Buffer.from(chunk);
          let start = 0;
          for (let at = end.indexOf(NEW_LINE); at !== -1; at = end.indexOf(NEW_LINE, start)) {
            line.add(end.subarray(start, at));
            yield* line.taken(number);
            number += 1;
            start = at + 1;
          }
          line.add(end.subarray(start));
        }
        yield* line.taken(number);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        yield { number, problem: `the file cannot be read from here on: ${reason}` };
      }
    },
  };
}

/** A line in the making. */
function createLine() {
  let parts: Buffer[] = [];
  let bytes = 0;
  return {
    add: (part: Buffer) => {
      bytes += part.length;
      if (bytes <= MOST_BYTES) parts.push(part);
      else parts = [];
    },
    /** The line, if there is something in it; the next one begins. */
    taken: function* (number: number): Generator<Line> {
      const [whole, length] = [Buffer.concat(parts), bytes];
      parts = [];
      bytes = 0;
      if (length > MOST_BYTES) {
        yield { number, problem: `expected a line of at most ${MOST_BYTES / 1024 / 1024} MB` };
        return;
      }
      const text = textOf(whole);
      if (text === undefined) yield { number, problem: 'expected UTF-8' };
      else if (text.trim() !== '') yield { number, text };
    },
  };
}

function textOf(bytes: Buffer): string | undefined {
  try {
    return UTF_8.decode(bytes);
  } catch {
    return undefined;
  }
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });
