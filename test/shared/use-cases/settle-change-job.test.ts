import { expect, it } from 'vitest';
import { MINUTE } from '#shared/domain/market/instant.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import type { ChangeJob } from '#shared/domain/watchlists/change-job.ts';
import { settleIfDone } from '#shared/use-cases/settle-change-job.ts';
import { NOON } from '#test/support/builders.ts';

const note: ChangeJob = {
  list: { tenant: 'acme', id: 'punks' },
  target: { kind: 'topic' },
  revision: 3,
  createdAt: NOON,
  dueAt: NOON + MINUTE,
  version: 1,
};

it.each([
  { read: 3, age: 0, settles: true },
  { read: 4, age: 0, settles: true },
  { read: 2, age: 2 * MINUTE, settles: false },
  { read: 2, age: 2 * MINUTE + 1, settles: true },
])(
  'of revision 3, acted on with revision $read after $age ms, is settled: $settles',
  async ({ read, age, settles }) => {
    const settled: ChangeJob[] = [];

    await settleIfDone(async (pending) => void settled.push(pending), note, read, NOON + age);

    expect(settled).toEqual(settles ? [note] : []);
  },
);

it('stays when a newer note has taken its place, and lets other failures out', async () => {
  const failing = (error: Error) => settleIfDone(() => Promise.reject(error), note, 3, NOON);

  await expect(failing(new VersionConflictError('note'))).resolves.toBeUndefined();
  await expect(failing(new Error('no table'))).rejects.toThrow('no table');
});
