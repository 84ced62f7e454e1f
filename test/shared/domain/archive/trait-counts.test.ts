import { expect, it } from 'vitest';
import { createTraitCounts } from '#shared/domain/archive/trait-counts.ts';

it('counts the tokens that have a trait', () => {
  const { add, counts } = createTraitCounts();

  add(new Set(['cap', 'crown']));
  add(new Set(['cap']));
  add(new Set());

  expect([...counts()]).toEqual([
    ['cap', 2],
    ['crown', 1],
  ]);
});

it('drops the rarest traits above the limit, and keeps common ones', () => {
  const { add, counts } = createTraitCounts(100);

  for (let id = 0; id < 5000; id += 1) add(new Set(['cap', `number ${id}`]));

  expect(counts().get('cap')).toBe(5000);
  expect(counts().size).toBeLessThanOrEqual(100);
});
