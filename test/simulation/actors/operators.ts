import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { Calendar } from '#test/simulation/calendar.ts';
import type { EventLog } from '#test/simulation/event-log.ts';
import type { Queues } from '#test/simulation/functions.ts';
import type { Timeline } from '#test/simulation/services/timeline.ts';

/** Schedules redrives of all dead letters, whether or not the cause of their failures is fixed. */
export function startOperators(
  timeline: Timeline,
  queues: Queues,
  { met }: Pick<EventLog, 'met'>,
  {
    start,
    minutes,
    worksAt,
  }: { readonly start: Instant; readonly minutes: number; readonly worksAt: Calendar },
  redriveMinutes: number,
): void {
  const evaluation = () => {
    if (redriveAll(queues)) met('redrive while faults last');
    return false;
  };
  for (let minute = 0; minute < minutes; minute += redriveMinutes) {
    timeline.at(worksAt(start + minute * MINUTE), evaluation);
  }
}

/**
 * Redrives all dead letters and returns whether there were any. Unreadable dead letters are
 * removed.
 */
export function redriveAll(queues: Queues): boolean {
  const all = Object.values(queues);
  const isAnyDead = all.some(({ deadLetters }) => deadLetters.length > 0);
  for (const queue of all) queue.redrive();
  return isAnyDead;
}
