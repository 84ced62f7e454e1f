import { MINUTE, nextMinute } from '#shared/domain/market/instant.ts';

export type Ahead = {
  readonly cadenceMinutes: number;
  /** Start of virtual time. The next change of a contract is unknown until its first poll. */
  readonly start: number;
  /** The next change of the upstream's data; undefined after the last one. */
  readonly change: number | undefined;
  /** The earliest timer in the stack's table. */
  readonly timer: number | undefined;
};

/**
 * The next tick that has work: changed data that may be polled again, or a due timer. During the
 * first cadence every minute has a tick, because changes are unknown until each contract was
 * polled.
 */
export function nextMinuteWithWork(
  last: number,
  { cadenceMinutes, start, change, timer }: Ahead,
): number | undefined {
  if (last < start + cadenceMinutes * MINUTE) return nextMinute(last);
  const polled = change && Math.max(change, last + cadenceMinutes * MINUTE);
  const instants = [polled, timer].filter((instant) => instant !== undefined);
  if (instants.length === 0) return undefined;
  return Math.max(Math.ceil(Math.min(...instants) / MINUTE) * MINUTE, nextMinute(last));
}
