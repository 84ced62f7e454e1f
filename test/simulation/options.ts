import { availableParallelism } from 'node:os';
import * as z from 'zod';
import { createReader } from '#infra/command-line/create-reader.ts';
import { flag, option, wholeNumber } from '#infra/command-line/options.ts';

export type Options = NonNullable<ReturnType<typeof readOptions>>;

const read = createReader({
  name: 'npm run simulate --',
  description:
    'Simulates mornings with faults in every service, and reports whether an alert was lost, invented or sent to somebody else. The same seed always gives the same run.',
  options: z.object({
    seeds: option('number', 'how many seeds to run', wholeNumber(1, 1_000_000).prefault('100')),
    from: option('seed', 'the first seed', wholeNumber(0, 2 ** 28).prefault('1')),
    minutes: option(
      'number',
      'the minutes with faults, after which the system must recover',
      wholeNumber(1, 10_000).prefault('100'),
    ),
    workers: option(
      'number',
      'how many seeds to run in parallel',
      wholeNumber(1, 64).prefault(`${availableParallelism()}`),
    ),
    twice: flag('run each seed twice, and compare the two runs'),
    first: flag('stop at the first seed that violates an invariant'),
    trace: flag('print every event of every seed, with a single worker'),
    json: flag('print each seed as a line of JSON, and the summary as the last line'),
  }),
  exitCodes: '0 no seed violated an invariant, 1 a seed did, 2 an option is invalid',
});

/** Reads the command's options; undefined after `--help`. */
export function readOptions(args: readonly string[]) {
  const options = read(args);
  // A trace is printed while the seeds run, so one worker runs them in order.
  return options?.trace ? { ...options, workers: 1 } : options;
}
