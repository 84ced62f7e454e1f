import { argv, exit, stderr, stdout } from 'node:process';
import type { Reader } from './create-reader.ts';
import { mistakeIn } from './mistake-in.ts';
import { createPrinter, type Printer } from './printer.ts';

type Endings = {
  /** The text of an error that is not a mistake of the user. */
  readonly inWords?: (error: unknown) => string;
};

/**
 * Reads the command line and runs the command. The exit code is 2 after a mistake of the user, 1
 * after any other error, otherwise `process.exitCode` or 0.
 */
export async function runCommand<Options>(
  read: Reader<Options>,
  run: (options: Options, printer: Printer) => Promise<void>,
  { inWords = String }: Endings = {},
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
    const mistake = mistakeIn(error);
    stderr.write(`${mistake ?? inWords(error)}\n`);
    exit(mistake === undefined ? 1 : 2);
  }
}
