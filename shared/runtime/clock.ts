import { setTimeout as sleep } from 'node:timers/promises';

/** The moment, as the runtime reports it. */
export function now(): number {
  return Date.now();
}

/** Waits for a moment; at once when it has passed. Rejects when the signal aborts. */
export async function sleepUntil(instant: number, signal: AbortSignal): Promise<void> {
  const milliseconds = instant - now();
  if (milliseconds > 0) await sleep(milliseconds, undefined, { signal });
}
