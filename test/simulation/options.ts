import { availableParallelism } from 'node:os';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

export type Options = {
  readonly seeds: number;
  readonly from: number;
  readonly minutes: number;
  readonly workers: number;
  readonly twice: boolean;
  readonly first: boolean;
  readonly trace: boolean;
  readonly json: boolean;
  readonly help: boolean;
};

export const HELP = `npm run simulate -- [options]

Lives through mornings in which everything goes wrong, and returns whether an alert was lost,
invented or reported to somebody else. A seed is always lived through in the same way.

  --seeds N     how many (100)
  --from S      the first of them (1)
  --minutes M   how long things go wrong (100); then the world must heal
  --workers W   how many processors to use (${availableParallelism()})
  --twice       lives through each seed twice, and compares
  --first       stops at the first seed that breaks something
  --trace       reports every event of every seed
  --json        reports each seed as a line of JSON, and all of them as the last line
  --help        reports this

Ends with 0 when nothing is broken, with 1 when something is, with 2 for options that make no sense.
`;

export class OptionsError extends Error {
  override readonly name = 'OptionsError';
}

const flag = { type: 'boolean', default: false } as const;
const OPTIONS = {
  seeds: { type: 'string', default: '100' },
  from: { type: 'string', default: '1' },
  minutes: { type: 'string', default: '100' },
  workers: { type: 'string', default: `${availableParallelism()}` },
  twice: flag,
  first: flag,
  trace: flag,
  json: flag,
  help: flag,
} as const satisfies ParseArgsOptionsConfig;

/** Reads the command's options; OptionsError says in a sentence which of them makes no sense. */
export function readOptions(args: readonly string[]): Options {
  const values = parsed(args, OPTIONS);
  const options = {
    ...values,
    seeds: whole('seeds', values.seeds, 1, 1_000_000),
    from: whole('from', values.from, 0, 2 ** 28),
    minutes: whole('minutes', values.minutes, 1, 10_000),
    workers: whole('workers', values.workers, 1, 64),
  };
  // A trace is reported as it happens: by one, in the order of seeds.
  return options.trace ? { ...options, workers: 1 } : options;
}

/** What a command line says; OptionsError where it says something unknown. */
export function parsed<Known extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Known,
) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new OptionsError(error instanceof Error ? error.message : String(error), {
      cause: error,
    });
  }
}

/** A number of an option; OptionsError where it is none, or out of bounds. */
export function whole(name: string, text: string, least: number, most: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new OptionsError(
    `--${name} must be a whole number from ${least} to ${most}, and is "${text}".`,
  );
}
