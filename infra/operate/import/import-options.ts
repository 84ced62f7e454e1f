import { parseArgs } from 'node:util';
import { readStack, type Stack, stackOptions, stageHelp } from '#infra/operate/stack-option.ts';
import { orUsageError, UsageError } from '#infra/operate/usage-error.ts';

/** The command line of `npm run import`. */
export type ImportOptions = {
  readonly directory: string;
  /** Undefined for the running stack of this checkout. */
  readonly stack: Stack | undefined;
  /** The name of a deployed table; needed where a stage has several. */
  readonly table: string | undefined;
  readonly json: boolean;
};

export const help = `npm run import -- DIR [options]

Loads floors, trades and tokens into the archive, from the files floors, trades and tokens (.jsonl
or .jsonl.gz) in DIR and the folders below it. Writes only new or changed records. A repetition
resumes an interrupted import.

  --local URL      a stack of npm start, by the address that it printed (default: the running
                   stack of this checkout)
${stageHelp}
  --table NAME     the stage's table, if it has several
  --json           JSON lines: file, end
  --help           this text

Bad lines are reported on stderr as file:line: reason, and skipped.
Exit codes: 0 all loaded, 3 all but bad lines loaded, 2 wrong command line or stack, 1 failure.
`;

/** Reads the command line; undefined for `--help`. */
export function readImportOptions(args: readonly string[]): ImportOptions | undefined {
  const { values, positionals } = readArguments(args);
  if (values.help) return undefined;
  const [directory, ...more] = positionals;
  if (directory === undefined || more.length > 0) {
    throw new UsageError('give one directory that holds the data: npm run import -- DIR');
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
