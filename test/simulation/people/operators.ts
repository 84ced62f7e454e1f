import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { Chronicle } from '#test/simulation/chronicle.ts';
import type { Queues } from '#test/simulation/functions.ts';
import type { Timeline } from '#test/simulation/services/timeline.ts';

/** Has operators send dead letters again now and then, whether or not what broke them is mended. */
export function startOperators(
  timeline: Timeline,
  queues: Queues,
  { met }: Pick<Chronicle, 'met'>,
  { start, end }: { readonly start: Instant; readonly end: Instant },
  redriveMinutes: number,
): void {
  const look = () => {
    if (redriveAll(queues)) met('redrive while faults last');
    return false;
  };
  for (let at = start; at < end; at += redriveMinutes * MINUTE) timeline.at(at, look);
}

/** Sends all dead letters again, takes off what nobody can read, and tells whether any were dead. */
export function redriveAll(queues: Queues): boolean {
  const all = Object.values(queues);
  const isAnyDead = all.some(({ deadLetters }) => deadLetters.length > 0);
  for (const queue of all) queue.redrive();
  return isAnyDead;
}
