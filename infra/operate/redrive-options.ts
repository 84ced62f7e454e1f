import { parseArgs } from 'node:util';
import { readStack, type Stack, stackOptions, stageHelp } from './stack-option.ts';
import { orUsageError, UsageError } from './usage-error.ts';

/** The command line of `npm run redrive`. */
export type RedriveOptions = {
  readonly stack: Stack;
  /** A part of the names of the chosen queues; all queues if undefined. */
  readonly queue: string | undefined;
  readonly dryRun: boolean;
  readonly json: boolean;
};

export const help = `npm run redrive -- --stage NAME | --local URL [options]

Lists the dead letters of a stack and moves them back to their source queues. Missed ticks are
only listed: the next tick has caught up with them.

${stageHelp}
  --local URL      a stack of npm start, by the address that it printed
  --queue NAME     only the queues with NAME in their name, for example lists
  --dry-run        only list
  --json           JSON lines: queue, moved
  --help           this text

Exit codes: 0 done, 2 wrong command line or stack, 1 failure.
`;

/** Reads the command line; undefined for `--help`. */
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
