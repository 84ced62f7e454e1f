import { availableParallelism } from 'node:os';
import * as z from 'zod';
import { createReader } from '#infra/command-line/create-reader.ts';
import { flag, option, wholeNumber } from '#infra/command-line/options.ts';

export type Options = NonNullable<ReturnType<typeof readOptions>>;

const read = createReader({
  name: 'npm run simulate --',
  description:
    'Lives through mornings in which everything goes wrong, and returns whether an alert was lost, invented or reported to somebody else. A seed is always lived through in the same way.',
  options: z.object({
    seeds: option('number', 'how many', wholeNumber(1, 1_000_000).prefault('100')),
    from: option('seed', 'the first of them', wholeNumber(0, 2 ** 28).prefault('1')),
    minutes: option(
      'number',
      'how long things go wrong; then the world must heal',
      wholeNumber(1, 10_000).prefault('100'),
    ),
    workers: option(
      'number',
      'how many processors to use',
      wholeNumber(1, 64).prefault(`${availableParallelism()}`),
    ),
    twice: flag('live through each seed twice, and compare'),
    first: flag('stop at the first seed that breaks something'),
    trace: flag('report every event of every seed'),
    json: flag('report each seed as a line of JSON, and all of them as the last line'),
  }),
  exitCodes: '0 nothing is broken, 1 something is, 2 options that make no sense',
});

/** Reads the command's options; undefined after `--help`. */
export function readOptions(args: readonly string[]) {
  const options = read(args);
  // A trace is printed while the seeds run, so one worker runs them in order.
  return options?.trace ? { ...options, workers: 1 } : options;
}
