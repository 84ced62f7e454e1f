import { expect, it } from 'vitest';
import { inParallel } from '#shared/stores/in-parallel.ts';

it('processes every item, and at most the given number at a time', async () => {
  const done: number[] = [];
  let most = 0;
  let atOnce = 0;

  await inParallel([1, 2, 3, 4, 5], 2, async (thing) => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    await Promise.resolve();
    atOnce -= 1;
    done.push(thing);
  });

  expect([done, most]).toEqual([[1, 2, 3, 4, 5], 2]);
});

it('waits for started items if one fails, and starts no more', async () => {
  const slow = Promise.withResolvers<void>();
  const done: number[] = [];

  const all = inParallel([1, 2, 3, 4], 2, async (thing) => {
    if (thing === 1) throw new Error('the first fails');
    await slow.promise;
    done.push(thing);
  });
  const ended = all.then(
    () => 'done',
    () => [...done],
  );
  slow.resolve();

  expect(await ended).toEqual([2]);
  expect(done).toEqual([2]);
});
