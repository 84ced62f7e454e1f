import { parseArgs } from 'node:util';
import { readStack, stackOptions, stageHelp } from '#infra/operate/stack-option.ts';
import type { StackTableOptions } from '#infra/operate/stack-table.ts';
import { orUsageError, UsageError } from '#infra/operate/usage-error.ts';

/** The command line of `npm run status`. */
export type StatusOptions = StackTableOptions & { readonly json: boolean };

export const help = `npm run status -- [options]

Reports the state of a stack: its last tick, the data provider and its budgets, the oldest data,
waiting alerts and changes, dead letters. Only reads, and works while the stack's functions do not.

  --local URL      a stack of npm start, by the address that it printed (default: the running
                   stack of this checkout)
${stageHelp}
  --table NAME     the stage's table, if it has several
  --json           one JSON document
  --help           this text

Exit codes: 0 all is well, 3 trouble (see the lines "trouble:"), 2 wrong command line or stack,
1 failure.
`;

/** Reads the command line; undefined for `--help`. */
export function readStatusOptions(args: readonly string[]): StatusOptions | undefined {
  const given = readArguments(args);
  if (given.help) return undefined;
  const stack = readStack(given);
  if (given.table !== undefined && stack?.kind !== 'deployed') {
    throw new UsageError('--table goes with --stage');
  }
  return { stack, table: given.table, json: given.json };
}

function readArguments(args: readonly string[]) {
  return orUsageError(
    () =>
      parseArgs({
        args: [...args],
        options: {
          ...stackOptions,
          table: { type: 'string' },
          json: { type: 'boolean', default: false },
          help: { type: 'boolean', default: false },
        },
      }).values,
  );
}
