import { availableParallelism } from 'node:os';
import type { ParseArgsOptionsConfig } from 'node:util';
import { parsed, whole } from '#test/simulation/options.ts';

export type MutantOptions = {
  readonly seeds: number;
  readonly from: number;
  readonly workers: number;
  readonly only: string;
  readonly help: boolean;
};

export const HELP = `npm run simulate:mutants -- [options]

Plants each bug into a copy of the code, and counts the seeds until the simulation finds it. One
that is said to survive is looked for in forty seeds at most.

  --seeds N     how many seeds each bug gets (150)
  --from S      the first of them (1)
  --workers W   how many bugs at once (${availableParallelism()})
  --only TEXT   only bugs whose name has this in it
  --help        reports this

Ends with 0 when every bug was found or says why it survives, with 1 when not, with 2 for options
that make no sense.
`;

const OPTIONS = {
  seeds: { type: 'string', default: '150' },
  from: { type: 'string', default: '1' },
  workers: { type: 'string', default: `${availableParallelism()}` },
  only: { type: 'string', default: '' },
  help: { type: 'boolean', default: false },
} as const satisfies ParseArgsOptionsConfig;

/** Reads the command's options; OptionsError says in a sentence which of them makes no sense. */
export function readMutantOptions(args: readonly string[]): MutantOptions {
  const values = parsed(args, OPTIONS);
  return {
    ...values,
    seeds: whole('seeds', values.seeds, 1, 100_000),
    from: whole('from', values.from, 0, 2 ** 28),
    workers: whole('workers', values.workers, 1, 64),
  };
}
