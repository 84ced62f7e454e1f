import { expect, it } from 'vitest';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { retryingConflicts } from '#shared/use-cases/retrying-conflicts.ts';

/** Work that fails a number of times before it succeeds. */
function world(failures: number, error: Error = new VersionConflictError('it')) {
  let attempts = 0;
  const work = async () => {
    attempts += 1;
    if (attempts <= failures) throw error;
    return 'done';
  };
  return { work, attempts: () => attempts };
}

it.each([0, 1, 4])(
  'retryingConflicts repeats the work after %d version conflicts until it succeeds',
  async (failures) => {
    const { work, attempts } = world(failures);

    expect(await retryingConflicts(work)).toBe('done');
    expect(attempts()).toBe(failures + 1);
  },
);

it('retryingConflicts gives up after five version conflicts, or after one other error', async () => {
  const conflict = world(5);
  const other = world(1, new Error('other'));

  await expect(retryingConflicts(conflict.work)).rejects.toThrow('has changed since it was read');
  await expect(retryingConflicts(other.work)).rejects.toThrow('other');
  expect([conflict.attempts(), other.attempts()]).toEqual([5, 1]);
});
