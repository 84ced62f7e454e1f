import { MINUTE, nextMinute } from '#shared/domain/market/instant.ts';

export type Ahead = {
  readonly cadenceMinutes: number;
  /** Since when time passes. What the upstream has not been asked since, it knows no change of. */
  readonly start: number;
  /** When the upstream's data change next; undefined at their end. */
  readonly change: number | undefined;
  /** The earliest thing that the stack itself waits for. */
  readonly timer: number | undefined;
};

/**
 * When the next tick comes if none is wasted: where data changed and can be
 * polled, or where the stack itself has something due. Nothing of that is known
 * before each contract has had its poll.
 */
export function nextEventfulMinute(
  last: number,
  { cadenceMinutes, start, change, timer }: Ahead,
): number | undefined {
  if (last < start + cadenceMinutes * MINUTE) return nextMinute(last);
  const polled = change && Math.max(change, last + cadenceMinutes * MINUTE);
  const instants = [polled, timer].filter((instant) => instant !== undefined);
  if (instants.length === 0) return undefined;
  return Math.max(Math.ceil(Math.min(...instants) / MINUTE) * MINUTE, nextMinute(last));
}
