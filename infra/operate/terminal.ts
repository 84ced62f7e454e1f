import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from '#infra/command-line/usage-error.ts';

/** Asks a person, one question at a time. */
export type Terminal = {
  readonly ask: (question: string) => Promise<string>;
  /** Asks a question and hides the typed text. */
  readonly askSecret: (question: string) => Promise<string>;
  readonly close: () => void;
};

/** A terminal over the given streams. Ctrl-C and the end of the input throw a UsageError. */
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
      throw left.signal.aborted ? new UsageError('nothing was changed', { cause: error }) : error;
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
