import { parseArgs } from 'node:util';
import { readStack, stackOptions, stageHelp } from '#infra/operate/stack-option.ts';
import type { StackTableOptions } from '#infra/operate/stack-table.ts';
import { orUsageError, UsageError } from '#infra/operate/usage-error.ts';

/** What `npm run status` was asked to do. */
export type StatusOptions = StackTableOptions & { readonly json: boolean };

export const help = `npm run status -- [options]

Reports how a stack does: its last tick, the data provider and the budgets, the oldest data, alerts
and changes that wait, dead letters. It only reads, and needs none of the stack's functions.

  --local URL      the stack that npm start runs, by the address that it printed; without a
                   stack, the one that runs of this checkout
${stageHelp}
  --table NAME     its table, where there are several
  --json           one JSON document
  --help           this text

Ends with 0 when all is well, with 3 when something is wrong (reported as "trouble"), with 2 for what
cannot be asked, and with 1 for a failure.
`;

/** Reads the command line; `undefined` when only the help is asked for. */
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
