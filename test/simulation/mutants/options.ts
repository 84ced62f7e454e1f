import { availableParallelism } from 'node:os';
import * as z from 'zod';
import { createReader } from '#infra/command-line/create-reader.ts';
import { option, wholeNumber } from '#infra/command-line/options.ts';

export type MutantOptions = NonNullable<ReturnType<typeof readMutantOptions>>;

export const readMutantOptions = createReader({
  name: 'npm run simulate:mutants --',
  description:
    'Plants each bug into a copy of the code, and counts the seeds until the simulation finds it. One that is said to survive is looked for in forty seeds at most.',
  options: z.object({
    seeds: option(
      'number',
      'how many seeds each bug gets',
      wholeNumber(1, 100_000).prefault('150'),
    ),
    from: option('seed', 'the first of them', wholeNumber(0, 2 ** 28).prefault('1')),
    workers: option(
      'number',
      'how many bugs at once',
      wholeNumber(1, 64).prefault(`${availableParallelism()}`),
    ),
    only: option('text', 'only bugs whose name has this in it', z.string().optional()),
  }),
  exitCodes: '0 every bug was found or says why it survives, 1 not, 2 options that make no sense',
});
