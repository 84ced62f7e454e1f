import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** Creates the ids of writes to the table, and pauses before a write is retried. */
export const tableRuntime = {
  newWriteId: () => randomBytes(12).toString('base64url'),

  /**
   * Waits for a random time that grows with each attempt up to ten seconds, so that conflicting
   * writers are spread out.
   */
  pause: async (attempt: number): Promise<void> => {
    const most = Math.min(50 * 2 ** attempt, 10_000);
    await sleep(most / 2 + (Math.random() * most) / 2);
  },
};
