import { argv, exit, stderr, stdout } from 'node:process';
import type { Reader } from './create-reader.ts';
import { createPrinter, type Printer } from './printer.ts';
import { UsageError } from './usage-error.ts';

type Endings = {
  /** What is said of an error that is no UsageError. */
  readonly inWords?: (error: unknown) => string;
  /** For a command whose 2 has another meaning. */
  readonly exitCodeOfMistake?: number;
};

/**
 * Reads the command line, runs the command and ends the process: with 2 at a UsageError, with 1 at
 * any other error, otherwise with `process.exitCode` or 0.
 */
export async function runCommand<Options>(
  read: Reader<Options>,
  run: (options: Options, printer: Printer) => Promise<void>,
  { inWords = String, exitCodeOfMistake = 2 }: Endings = {},
): Promise<void> {
  const printer = createPrinter({
    write: (text) => stdout.write(text),
    writeError: (text) => stderr.write(text),
    isTerminal: stderr.isTTY,
  });
  try {
    const options = read(argv.slice(2));
    if (options !== undefined) await run(options, printer);
    exit();
  } catch (error) {
    const isUsage = error instanceof UsageError;
    stderr.write(`${isUsage ? error.message : inWords(error)}\n`);
    exit(isUsage ? exitCodeOfMistake : 1);
  }
}
