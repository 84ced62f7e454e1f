import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from './usage-error.ts';

/** Somebody who answers questions, one at a time. */
export type Terminal = {
  readonly ask: (question: string) => Promise<string>;
  /** What is typed is not shown. */
  readonly askSecret: (question: string) => Promise<string>;
  readonly close: () => void;
};

/** Somebody at a keyboard; Ctrl-C and the input's end are no answer. */
export function createTerminal(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Terminal {
  let isShown = true;
  const screen = new Writable({
    write: (chunk, _encoding, done) => {
      if (isShown) output.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input, output: screen, terminal: true });
  const left = new AbortController();
  lines.once('SIGINT', () => left.abort());
  lines.once('close', () => left.abort());

  const ask = async (question: string): Promise<string> => {
    try {
      const answer = await lines.question(question, { signal: left.signal });
      return answer.trim();
    } catch (error) {
      throw left.signal.aborted ? new UsageError('nothing was done', { cause: error }) : error;
    }
  };

  return {
    ask,

    askSecret: async (question) => {
      output.write(question);
      isShown = false;
      try {
        return await ask('');
      } finally {
        isShown = true;
        output.write('\n');
      }
    },

    close: () => lines.close(),
  };
}
