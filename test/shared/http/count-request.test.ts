import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { SECOND } from '#shared/domain/market/instant.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createRequestCounter } from '#shared/http/count-request.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { NOON } from '#test/support/builders.ts';

/** Request counters of several instances with one table. */
function world(instances = 1) {
  const store = createUsageStore(createMemoryTable(), 'api');
  const clock = { now: NOON };
  const calls: string[] = [];
  const ports = {
    now: () => clock.now,
    unitsPerMinute: 100,
    usage: {
      get: async (tenant: string) => {
        calls.push('get');
        await sleep(0);
        return await store.get(tenant);
      },
      put: async (...written: Parameters<typeof store.put>) => {
        calls.push('put');
        await sleep(0);
        return await store.put(...written);
      },
    },
  };
  const made = Array.from({ length: instances }, () => createRequestCounter(ports));
  const [{ take: count, charge } = createRequestCounter(ports)] = made;
  return { counters: made.map(({ take }) => take), count, charge, calls, clock, ports };
}

it('counts the requests of all instances together, separately for each tenant', async () => {
  const { counters, count } = world(12);

  const counts = await Promise.all(counters.map((counter) => counter('acme', 10)));

  const granted = counts.filter(({ enoughInSeconds }) => enoughInSeconds === undefined);
  expect(granted.map(({ left }) => left).toSorted((a, b) => a - b)).toEqual([
    0, 10, 20, 30, 40, 50, 60, 70, 80, 90,
  ]);
  expect(counts.filter(({ left }) => left === 0)).toHaveLength(3);
  expect(await count('other', 10)).toMatchObject({ left: 90, unitsPerMinute: 100 });
});

it('counts several requests of a lone instance with one write and no read, after the first request', async () => {
  const { count, calls } = world();

  const counts = [];
  for (let turn = 0; turn < 5; turn += 1) counts.push(await count('acme', 1));

  expect(counts.map(({ left }) => left)).toEqual([99, 98, 97, 96, 95]);
  expect(calls).toEqual(['get', 'put', 'put', 'put']);
});

it('grants all instances together no more than the limit', async () => {
  const { counters } = world(12);
  const passed = [];
  for (let turn = 0; turn < 20; turn += 1) {
    passed.push(...(await Promise.all(counters.map((counter) => counter('acme', 1)))));
  }

  const granted = passed.filter(({ enoughInSeconds }) => enoughInSeconds === undefined);

  expect(granted).toHaveLength(100);
});

it('keeps reserved units for ten seconds', async () => {
  const { counters, clock, calls } = world();
  const [count] = counters;
  await count?.('acme', 1);
  clock.now += 10 * SECOND;
  calls.length = 0;

  await count?.('acme', 1);

  expect(calls).toEqual(['put']);
});

it('reads the units that another instance has used, and then rejects a request without a call to the table', async () => {
  const { counters, clock, calls } = world(2);
  const [one, other] = counters;
  await one?.('acme', 100);
  clock.now += 30 * SECOND;
  await other?.('acme', 50);
  calls.length = 0;

  expect(await one?.('acme', 1)).toMatchObject({ left: 0, enoughInSeconds: 1 });
  expect(calls).toEqual(['put', 'get']);
  calls.length = 0;
  await other?.('acme', 1);
  expect(calls).toEqual([]);
});

it('rejects a request after many conflicts with other instances, and passes other errors on', async () => {
  const { ports } = world();
  const failing = (error: Error) =>
    createRequestCounter({
      ...ports,
      usage: { ...ports.usage, put: () => Promise.reject(error) },
    }).take('acme', 1);

  expect(await failing(new VersionConflictError('usage'))).toMatchObject({ enoughInSeconds: 1 });
  await expect(failing(new Error('no table'))).rejects.toThrow('no table');
});

it('delays the next request after a charge that exceeds the remaining units', async () => {
  const { count, charge, clock } = world();
  await count('acme', 90);

  expect(await charge('acme', 30)).toMatchObject({ left: 0, allInSeconds: 72 });
  expect(await count('acme', 1)).toMatchObject({ enoughInSeconds: 13 });
  clock.now += 13 * SECOND;
  expect(await count('acme', 1)).not.toHaveProperty('enoughInSeconds');
});

it('caps the debt from a charge at the units of one minute, so all units are available after two minutes', async () => {
  const { count, charge, clock } = world();

  await charge('acme', 5000);

  expect(await count('acme', 100)).toMatchObject({ enoughInSeconds: 120 });
  clock.now += 120 * SECOND;
  expect(await count('acme', 100)).not.toHaveProperty('enoughInSeconds');
});
