import { availableParallelism } from 'node:os';
import * as z from 'zod';
import { createReader } from '#infra/command-line/create-reader.ts';
import { option, wholeNumber } from '#infra/command-line/options.ts';

export type MutantOptions = NonNullable<ReturnType<typeof readMutantOptions>>;

export const readMutantOptions = createReader({
  name: 'npm run simulate:mutants --',
  description:
    'Plants each bug in a copy of the code, and counts the seeds until the simulation finds it. A bug that is listed as surviving gets at most forty seeds.',
  options: z.object({
    seeds: option(
      'number',
      'how many seeds to run for each bug',
      wholeNumber(1, 100_000).prefault('150'),
    ),
    from: option('seed', 'the first seed', wholeNumber(0, 2 ** 28).prefault('1')),
    workers: option(
      'number',
      'how many bugs to test in parallel',
      wholeNumber(1, 64).prefault(`${availableParallelism()}`),
    ),
    only: option('text', 'test only bugs whose name contains this text', z.string().optional()),
  }),
  exitCodes:
    '0 each bug was found, or survived as listed, 1 a result differs from the list, 2 an option is invalid',
});
