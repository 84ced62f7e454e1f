import { setTimeout as delay } from 'node:timers/promises';

/** Time as the functions see it: real time, ahead by an offset. */
export type Clock = {
  readonly now: () => number;
  /** Makes it that instant, unless it already is later: time never runs backwards. */
  readonly advanceTo: (instant: number) => void;
};

/** A clock that shows `start` now. */
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

/** What time passes for. */
export type Timeline = {
  /** Virtual time against real time while nothing runs; `Infinity` waits for nothing. */
  readonly speed: number;
  /** The next instant at which something happens; undefined when nothing will any more. */
  readonly next: () => Promise<number | undefined>;
  /** Resolves when no message waits, no function runs and no request is open. */
  readonly quiet: (signal: AbortSignal) => Promise<void>;
  /** Starts what happens at the instant; does not wait for its end. */
  readonly happen: (instant: number) => void;
};

/**
 * Lets time pass until nothing is left to happen.
 *
 * Work takes the time it takes; only the gaps between are shortened, so the
 * clock jumps when everything is quiet and at no other moment. At speed 1 it
 * never jumps, and what is due happens whether or not earlier work has ended.
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
