import { setTimeout as sleep } from 'node:timers/promises';

/** The moment, as the runtime reports it. */
export function now(): number {
  return Date.now();
}

/**
 * The time outside of a local stack, whose `Date` reports virtual time. Nothing for Lambda, where
 * this clock stops while a function is frozen.
 */
export function wallClockOfLocalStack(): number {
  return performance.timeOrigin + performance.now();
}

/** Waits for a moment; at once when it has passed. Rejects when the signal aborts. */
export async function sleepUntil(instant: number, signal: AbortSignal): Promise<void> {
  const milliseconds = instant - now();
  if (milliseconds > 0) await sleep(milliseconds, undefined, { signal });
}
