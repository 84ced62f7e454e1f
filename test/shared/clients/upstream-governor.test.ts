import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { createUpstreamGovernor } from '#shared/clients/upstream-governor.ts';
import { HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import type { UpstreamUser } from '#shared/domain/polling/upstream-limits.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { NOON, someLimits } from '#test/support/builders.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';

/** Slots of leases of two at a time, so many in four seconds, each rounded up. */
function spaced(index: number, inFourSeconds: number): number {
  const spacing = 4000 / inFourSeconds;
  return Math.floor(index / 2) * Math.ceil(2 * spacing) + (index % 2) * Math.ceil(spacing);
}

/**
 * Governors of as many callers over one table, whose calls are counted and take their time; `users`
 * take turns.
 */
function world(
  callers = 1,
  given: { delay?: () => Promise<void>; limits?: object; users?: readonly UpstreamUser[] } = {},
) {
  const { users = ['polling'] } = given;
  const store = createGovernorStore(createMemoryTable(), 'nft-data');
  const calls: string[] = [];
  const clock = { now: NOON };
  const records: Parameters<typeof createUpstreamGovernor>[0] = {
    get: async () => {
      calls.push('get');
      await given.delay?.();
      return await store.get();
    },
    put: async (record) => {
      calls.push('put');
      await given.delay?.();
      return await store.put(record);
    },
  };
  const aGovernor = (index: number) =>
    createUpstreamGovernor(
      records,
      users[index % users.length] ?? 'polling',
      someLimits(given.limits),
      () => clock.now,
    );
  const governors = Array.from({ length: callers }, (_, index) => aGovernor(index));
  const [governor = aGovernor(0)] = governors;
  return { governors, governor, calls, clock, store };
}

it('hands out no slot twice, and none of the other user, to eight callers at once', async () => {
  const random = createSeededRandom(8);
  const delay = () => sleep(random.below(3));
  const { governors } = world(8, { delay, users: ['polling', 'interface'] });

  const leases = await Promise.all(
    governors.map(async (governor) => {
      const slots: number[] = [];
      for (let turn = 0; turn < 5; turn += 1) {
        const leased = await governor.lease([['floor'], ['lowestprice', 'price']]);
        if (leased.granted) slots.push(...leased.calls.flatMap((call) => call?.slot ?? []));
      }
      return slots;
    }),
  );

  const slotsOf = (user: number) =>
    leases.flatMap((slots, caller) => (caller % 2 === user ? slots : [])).toSorted((a, b) => a - b);
  // One second ahead at 15 in four seconds, two seconds ahead at five.
  expect(slotsOf(0)).toEqual(Array.from({ length: 4 }, (_, index) => NOON + spaced(index, 15)));
  expect(slotsOf(1)).toEqual([NOON, NOON + 800, NOON + 1600]);
});

it('needs one write and no read a lease for a lone caller, but for the first', async () => {
  const { governor, calls } = world();

  for (let turn = 0; turn < 4; turn += 1) await governor.lease([['floor']]);

  expect(calls).toEqual(['get', 'put', 'put', 'put', 'put']);
});

it('touches no table for an answer that reports nothing new', async () => {
  const { governor, calls } = world();

  for (const kind of ['ok', 'empty', 'not_ready', 'not_found'] as const) {
    await governor.learn('floor', { kind }, false);
  }
  await governor.learn('floor', { kind: 'failed', reason: 'timeout' }, false);

  expect(calls).toEqual([]);
});

it('lets one of several make the try of an open breaker that was planned', async () => {
  const { governors, clock } = world(2);
  const [one, other] = governors;
  await one?.learn('price', { kind: 'denied', reason: 'plan' }, false);
  const early = await one?.takeTry('price');
  clock.now += MINUTE;

  const taken = [await one?.takeTry('price'), await other?.takeTry('price')];
  await one?.learn('price', { kind: 'ok' }, true);

  expect([early, ...taken]).toEqual([false, true, false]);
  expect([await one?.takeTry('price'), await other?.takeTry('price')]).toEqual([true, true]);
});

it('refuses no caller from memory: what another caller learned meanwhile counts', async () => {
  const { governors, clock } = world(2);
  const [one, other] = governors;
  await one?.learn('floor', { kind: 'denied', reason: 'key' }, false);
  clock.now += MINUTE;
  const probe = await other?.lease([['floor']]);
  const refused = await one?.lease([['floor']]);
  await other?.learn('floor', { kind: 'ok' }, true);

  const leased = await one?.lease([['floor']]);

  expect(probe).toMatchObject({ granted: true, calls: [{ probe: true }] });
  expect(refused).toMatchObject({ granted: false, reason: 'denied' });
  expect(leased).toMatchObject({ granted: true, calls: [{ probe: false }] });
});

it('reports every caller what one has learned', async () => {
  const { governors } = world(2);
  const [one, other] = governors;
  await one?.lease([['floor']]);

  await other?.learn('floor', { kind: 'throttled', retryAfterSeconds: 60 }, false);

  expect(await one?.lease([['floor']])).toEqual({
    granted: false,
    reason: 'blocked',
    until: NOON + MINUTE,
  });
});

it('takes the way that is still offered, and the last one where none is', async () => {
  const { governor, clock } = world();
  const retired = { kind: 'unsupported', reason: 'retired' } as const;
  const callNow = async () => {
    const leased = await governor.lease([['lowestprice', 'price']]);
    return leased.granted ? leased.calls.map((made) => made?.call) : leased.reason;
  };

  const calls = [await callNow()];
  await governor.learn('lowestprice', retired, false);
  calls.push(await callNow());
  await governor.learn('price', retired, false);
  calls.push(await callNow());
  clock.now += 6 * HOUR;
  calls.push(await callNow());

  expect(calls).toEqual([['lowestprice'], ['price'], ['price'], ['lowestprice']]);
});

it('gives up after many quicker callers, and lets other failures out', async () => {
  const { store } = world();
  const failing = (error: Error) =>
    createUpstreamGovernor(
      { get: store.get, put: () => Promise.reject(error) },
      'polling',
      someLimits(),
      () => NOON,
    );

  const busy = await failing(new VersionConflictError('governor')).lease([['floor']]);
  const broken = failing(new Error('no table')).lease([['floor']]);

  expect(busy).toEqual({ granted: false, reason: 'busy', until: NOON });
  await expect(broken).rejects.toThrow('no table');
});
