import { on } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { Worker } from 'node:worker_threads';
import { type Outcome, simulate } from './world.ts';

/** Some seeds: so many from the first on, every `step`th of them. */
export type Seeds = {
  readonly from: number;
  readonly seeds: number;
  readonly step: number;
  readonly minutes: number;
  /** Lives through each twice, and compares. */
  readonly twice: boolean;
};

/** Lives through seeds, one after the other. */
export async function* liveThrough(
  { from, seeds, step, minutes, twice }: Seeds,
  listen?: (event: string) => void,
): AsyncGenerator<Outcome> {
  for (let seed = from; seed < from + seeds; seed += step) {
    const outcome = await simulate(seed, minutes, listen);
    yield twice ? compared(outcome, await simulate(seed, minutes)) : outcome;
  }
}

/** Lives through seeds, several at a time; what came of them is told in their order. */
export async function* liveThroughTogether(all: Seeds, workers: number): AsyncGenerator<Outcome> {
  const team = Array.from({ length: workers }, (_, index) => {
    const own: Seeds = { ...all, from: all.from + index, seeds: all.seeds - index, step: workers };
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: own });
    return { worker, outcomes: on(worker, 'message', { close: ['exit'] }) };
  });
  try {
    for (let index = 0; index < all.seeds; index += 1) {
      const next = await team[index % workers]?.outcomes.next();
      if (next === undefined || next.done === true) throw new Error('a worker has left early');
      yield next.value[0];
    }
  } finally {
    await Promise.all(team.map(({ worker }) => worker.terminate()));
  }
}

function compared(once: Outcome, again: Outcome): Outcome {
  if (isDeepStrictEqual(once, again)) return once;
  const what = `trace ${once.hash}, then ${again.hash}`;
  const violation = { invariant: 'a seed is lived through in the same way again', what, at: '' };
  return { ...once, violations: [...once.violations, violation] };
}
