import { setTimeout as sleep } from 'node:timers/promises';

/** The current time of the runtime. */
export function now(): number {
  return Date.now();
}

/** Waits until an instant; returns immediately if it has passed. Rejects when the signal aborts. */
export async function sleepUntil(instant: number, signal: AbortSignal): Promise<void> {
  const milliseconds = instant - now();
  if (milliseconds > 0) await sleep(milliseconds, undefined, { signal });
}
