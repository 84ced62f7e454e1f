import { createReadStream } from 'node:fs';
import { unpacked } from './unpacked.ts';

/** A line of a file, numbered from 1: its text, or the reason why it cannot be read. */
export type Line = { readonly number: number } & (
  | { readonly text: string }
  | { readonly problem: string }
);

export type LineReader = {
  /** All lines that are not blank, in order. If the file is broken, the last line is a problem. */
  readonly lines: () => AsyncGenerator<Line>;
  /** The number of stored (compressed) bytes read so far. */
  readonly bytesRead: () => number;
};

/** A longer line is discarded while it is read, so it needs no memory. */
const MOST_BYTES = 2 * 1024 * 1024;
const NEW_LINE = 10;

/** Reads a plain or gzipped file line by line, in bounded memory. */
export function createLineReader(path: string): LineReader {
  let read = 0;
  return {
    bytesRead: () => read,

    lines: async function* () {
      const line = createLine();
      let number = 1;
      try {
        for await (const chunk of contentOf(path, (bytes) => {
          read = bytes;
        })) {
          let start = 0;
          for (let at = chunk.indexOf(NEW_LINE); at !== -1; at = chunk.indexOf(NEW_LINE, start)) {
            line.add(chunk.subarray(start, at));
            yield* line.taken(number);
            number += 1;
            start = at + 1;
          }
          line.add(chunk.subarray(start));
        }
        yield* line.taken(number);
      } catch (error) {
        // A last line without a newline counts as complete if it is valid JSON.
        for (const last of line.taken(number)) {
          if (!('text' in last && isJson(last.text))) continue;
          yield last;
          number += 1;
        }
        yield { number, problem: `the file cannot be read beyond this line: ${faultOf(error)}` };
      }
    },
  };
}

async function* contentOf(path: string, noteRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  if (path.endsWith('.gz')) {
    yield* unpacked(path, noteRead);
    return;
  }
  const stored = createReadStream(path);
  for await (const chunk of stored) {
    noteRead(stored.bytesRead);
    yield Buffer.from(chunk);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const FAULTS: Readonly<Record<string, string>> = {
  Z_DATA_ERROR: 'expected gzip',
  Z_BUF_ERROR: 'expected more gzip data, found the end of the file',
};

function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return FAULTS['code' in error ? String(error.code) : ''] ?? error.message;
}

/** Collects the parts of a line. */
function createLine() {
  let parts: Buffer[] = [];
  let bytes = 0;
  return {
    add: (part: Buffer) => {
      bytes += part.length;
      if (bytes <= MOST_BYTES) parts.push(part);
      else parts = [];
    },
    /** Ends the line: yields it unless it is blank, and starts the next one. */
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
