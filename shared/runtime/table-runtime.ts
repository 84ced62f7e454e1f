import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** The ids and the pauses of a table's writes. */
export const tableRuntime = {
  newWriteId: () => randomBytes(12).toString('base64url'),

  /** Waits longer before each attempt, up to ten seconds, and for a random time, so writers do not meet again. */
  pause: async (attempt: number): Promise<void> => {
    const most = Math.min(50 * 2 ** attempt, 10_000);
    await sleep(most / 2 + (Math.random() * most) / 2);
  },
};
