import { parseArgs } from 'node:util';
import { readStack, type Stack, stackOptions, stageHelp } from '#infra/operate/stack-option.ts';
import { orUsageError, UsageError } from '#infra/operate/usage-error.ts';

/** What `npm run import` was asked to do. */
export type ImportOptions = {
  readonly directory: string;
  /** Undefined for the one that `npm start` runs of this checkout. */
  readonly stack: Stack | undefined;
  /** The name of a deployed table, where the stage does not tell it. */
  readonly table: string | undefined;
  readonly json: boolean;
};

export const help = `npm run import -- DIR [options]

Loads floors, trades and tokens into the archive: the files floors, trades and tokens, as .jsonl or
.jsonl.gz, in DIR and in the folders below it. It may be repeated, and goes on where it was when it
was killed: what is there already is not written again.

  --local URL      the stack that npm start runs, by the address that it printed; without a
                   stack, the one that runs of this checkout
${stageHelp}
  --table NAME     its table, where there are several
  --json           JSON lines: file, end
  --help           this text

Lines that cannot be used are named on stderr, by file and number, and stop nothing.
Ends with 0 when all is loaded, with 3 when all is but for such lines, with 2 for a wrong command
line or stack, and with 1 for a failure.
`;

/** Reads the command line; `undefined` when only the help is asked for. */
export function readImportOptions(args: readonly string[]): ImportOptions | undefined {
  const { values, positionals } = readArguments(args);
  if (values.help) return undefined;
  const [directory, ...more] = positionals;
  if (directory === undefined || more.length > 0) {
    throw new UsageError('give the one directory that holds the data');
  }
  const stack = readStack(values);
  if (values.table !== undefined && stack?.kind !== 'deployed') {
    throw new UsageError('--table goes with --stage');
  }
  return { directory, stack, table: values.table, json: values.json };
}

function readArguments(args: readonly string[]) {
  return orUsageError(() =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...stackOptions,
        table: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }),
  );
}
