import { on } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { Worker } from 'node:worker_threads';
import { type Outcome, simulate } from './world.ts';

/** Every `step`th of the seeds from `from` to `from + seeds`. */
export type Seeds = {
  readonly from: number;
  readonly seeds: number;
  readonly step: number;
  readonly minutes: number;
  /** Runs each seed twice and compares the two runs. */
  readonly twice: boolean;
};

/** The outcome of a seed, and its trace. */
type Life = { readonly outcome: Outcome; readonly trace: readonly string[] };

/** Runs seeds one after the other. */
export async function* liveThrough(
  { from, seeds, step, minutes, twice }: Seeds,
  listen: (event: string) => void = () => {},
): AsyncGenerator<Outcome> {
  for (let seed = from; seed < from + seeds; seed += step) {
    const life = await live(seed, minutes, listen);
    yield twice ? compared(life, await live(seed, minutes, () => {})) : life.outcome;
  }
}

async function live(seed: number, minutes: number, listen: (event: string) => void): Promise<Life> {
  const trace: string[] = [];
  const outcome = await simulate(seed, minutes, (event) => {
    trace.push(event);
    listen(event);
  });
  return { outcome, trace };
}

/**
 * Megabytes for new objects of a seed. Most objects are short-lived, and with less space a third of
 * the time is garbage collection.
 */
const YOUNG = { maxYoungGenerationSizeMb: 256 } as const;

/** Runs seeds in several workers. Yields the outcomes in the order of the seeds. */
export async function* liveThroughTogether(all: Seeds, workers: number): AsyncGenerator<Outcome> {
  const team = Array.from({ length: workers }, (_, index) => {
    const own: Seeds = { ...all, from: all.from + index, seeds: all.seeds - index, step: workers };
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: own,
      resourceLimits: YOUNG,
    });
    return { worker, outcomes: on(worker, 'message', { close: ['exit'] }) };
  });
  try {
    for (let index = 0; index < all.seeds; index += 1) {
      const next = await team[index % workers]?.outcomes.next();
      if (next === undefined || next.done === true) throw new Error('a worker ended early');
      yield next.value[0];
    }
  } finally {
    await Promise.all(team.map(({ worker }) => worker.terminate()));
  }
}

/** The outcome of a seed that ran twice, with a violation if the two runs differ. */
export function compared({ outcome, trace }: Life, again: Life): Outcome {
  if (isDeepStrictEqual(outcome, again.outcome)) return outcome;
  const place = trace.findIndex((event, index) => event !== again.trace[index]);
  const violation = {
    invariant: 'a seed runs the same way twice',
    what: `"${trace[place]}", then "${again.trace[place]}"`,
    at: '',
  };
  return { ...outcome, violations: [...outcome.violations, violation] };
}
