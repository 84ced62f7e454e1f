import { setTimeout as delay } from 'node:timers/promises';

/** The time of the functions: real time plus an offset. */
export type Clock = {
  readonly now: () => number;
  /**
   * Moves the clock forward to an instant. Does nothing if the instant has passed: time never runs
   * backwards.
   */
  readonly advanceTo: (instant: number) => void;
};

/** A clock that starts at `start`. */
export function createClock(start = Date.now()): Clock {
  let ahead = Math.trunc(start - Date.now());
  const now = () => Date.now() + ahead;
  return {
    now,
    advanceTo: (instant) => {
      if (instant > now()) ahead = Math.trunc(instant - Date.now());
    },
  };
}

/** The events of a run, in the order of time. */
export type Timeline = {
  /**
   * The factor from real to virtual time while nothing runs; with `Infinity` there are no waits.
   */
  readonly speed: number;
  /** The next instant with an event; undefined if there are no more. */
  readonly next: () => Promise<number | undefined>;
  /** Resolves when no message waits, no function runs and no request is open. */
  readonly quiet: (signal: AbortSignal) => Promise<void>;
  /** Starts the events of an instant without waiting for their end. */
  readonly happen: (instant: number) => void;
};

/**
 * Runs the timeline to its end.
 *
 * Work takes as long as in real time. Only the gaps between events are shortened: the clock jumps
 * only while nothing runs. At speed 1 it never jumps, and events start even if earlier work is
 * still running.
 */
export async function passTime(
  clock: Clock,
  { speed, next, quiet, happen }: Timeline,
  signal: AbortSignal,
): Promise<'ended' | 'stopped'> {
  while (!signal.aborted) {
    if (speed !== 1) await quiet(signal);
    const instant = await next();
    if (instant === undefined) return 'ended';
    await wait(Math.max(0, instant - clock.now()) / speed, signal);
    if (speed !== 1) await quiet(signal);
    if (signal.aborted) break;
    if (speed !== 1) clock.advanceTo(instant);
    happen(instant);
  }
  return 'stopped';
}

/** Waits; a signal ends the wait early without an error. */
export async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
