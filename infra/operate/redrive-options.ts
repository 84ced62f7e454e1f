import { parseArgs } from 'node:util';
import { readStack, type Stack, stackOptions, stageHelp } from './stack-option.ts';
import { orUsageError, UsageError } from './usage-error.ts';

/** What `npm run redrive` was asked to do. */
export type RedriveOptions = {
  readonly stack: Stack;
  /** Part of the names of the queues that are meant; all if left out. */
  readonly queue: string | undefined;
  readonly dryRun: boolean;
  readonly json: boolean;
};

export const help = `npm run redrive -- --stage NAME | --local URL [options]

Lists the dead letters of a stack, and moves them back to the queues that gave them up. Missed
ticks are only listed: the tick that came next has caught up with them.

${stageHelp}
  --local URL      the stack that npm start runs, by the address that it printed
  --queue NAME     only the queues with that in their name, e.g. lists
  --dry-run        list, and move nothing
  --json           JSON lines: queue, moved
  --help           this text
`;

/** Reads the command line; `undefined` when only the help is asked for. */
export function readRedriveOptions(args: readonly string[]): RedriveOptions | undefined {
  const given = readArguments(args);
  if (given.help) return undefined;
  const { queue, json } = given;
  const stack = readStack(given);
  if (stack === undefined) throw new UsageError('give either --stage NAME or --local URL');
  return { stack, queue, json, dryRun: given['dry-run'] };
}

function readArguments(args: readonly string[]) {
  return orUsageError(
    () =>
      parseArgs({
        args: [...args],
        options: {
          ...stackOptions,
          queue: { type: 'string' },
          'dry-run': { type: 'boolean', default: false },
          json: { type: 'boolean', default: false },
          help: { type: 'boolean', default: false },
        },
      }).values,
  );
}
