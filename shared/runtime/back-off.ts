import { setTimeout as sleep } from 'node:timers/promises';

/** Waits before another attempt: longer each time, up to ten seconds, and never all at one moment. */
export async function backOff(attempt: number): Promise<void> {
  const most = Math.min(50 * 2 ** attempt, 10_000);
  await sleep(most / 2 + (Math.random() * most) / 2);
}
