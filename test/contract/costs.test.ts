import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { costsOf, inMarkdown } from '#test/bench/costs/cost-table.ts';
import { meteredTable } from '#test/bench/costs/metered-table.ts';
import { tableOf } from '#test/bench/costs/readme-table.ts';

it('the costs page equals the output of npm run costs (npm run costs -- --write updates it)', async () => {
  const costs = await costsOf();

  expect(tableOf(readFileSync('test/bench/costs/README.md', 'utf8'))).toBe(inMarkdown(costs));
}, 600_000);

it.each([
  ['a small item', { pk: 'A', sk: 'B' }, 1],
  ['an item of slightly more than two kilobytes', { pk: 'A', sk: 'B', text: 'x'.repeat(2049) }, 3],
  ['an item in a threshold index', { pk: 'A', sk: 'B', falling: '1' }, 2],
  [
    'an item in a threshold index with a timer',
    { pk: 'A', sk: 'B', rising: '1', dueShard: '0', dueAt: 5 },
    3,
  ],
])('writing %s costs the units that DynamoDB bills', async (_what, item, writes) => {
  const units = { writes: 0, reads: 0 };

  await meteredTable(createMemoryTable(), units).put(item);

  expect(units).toEqual({ writes, reads: 0 });
});

it('an index is billed only if the position of an item changes, not for other attributes', async () => {
  const units = { writes: 0, reads: 0 };
  const table = meteredTable(createMemoryTable(), units);
  await table.put({ pk: 'A', sk: 'B', falling: '1' });
  units.writes = 0;

  await table.put({ pk: 'A', sk: 'B', falling: '1', text: 'other' });
  const same = units.writes;
  await table.put({ pk: 'A', sk: 'B', falling: '2', text: 'other' });

  expect([same, units.writes - same]).toEqual([1, 3]);
});

it('a query costs a unit per 4 KB of all its items, or half a unit without strong consistency', async () => {
  const units = { writes: 0, reads: 0 };
  const table = meteredTable(createMemoryTable(), units);
  for (const sk of ['1', '2', '3']) await table.put({ pk: 'A', sk, text: 'x'.repeat(2000) });
  await table.query({ pk: 'A', range: { from: '1', to: '3' }, limit: 10 });
  const queried = units.reads;

  await table.get({ pk: 'A', sk: '1' });
  await table.due('0', 1, 10);

  expect([queried, units.reads - queried]).toEqual([2, 1.5]);
});
