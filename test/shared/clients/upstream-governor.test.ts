import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { createUpstreamGovernor } from '#shared/clients/upstream-governor.ts';
import { HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { OutcomeUnknownError } from '#shared/domain/outcome-unknown.ts';
import type { UpstreamUser } from '#shared/domain/polling/upstream-limits.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createGovernorStore } from '#shared/stores/governor-store.ts';
import { NOON, someLimits } from '#test/support/builders.ts';
import { evenCosts } from '#test/support/even-costs.ts';
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
  given: {
    delay?: () => Promise<void>;
    answer?: () => void;
    limits?: object;
    users?: readonly UpstreamUser[];
  } = {},
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
      const written = await store.put(record);
      given.answer?.();
      return written;
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
    await governor.learn('floor', { kind }, false, 1);
  }
  await governor.learn('floor', { kind: 'failed', reason: 'timeout' }, false, 1);

  expect(calls).toEqual([]);
});

it('refuses no caller from memory: what another caller learned meanwhile counts', async () => {
  const { governors, clock } = world(2);
  const [one, other] = governors;
  await one?.learn('floor', { kind: 'denied', reason: 'key' }, false, 1);
  clock.now += MINUTE;
  const probe = await other?.lease([['floor']]);
  const refused = await one?.lease([['floor']]);
  await other?.learn('floor', { kind: 'ok' }, true, 1);

  const leased = await one?.lease([['floor']]);

  expect(probe).toMatchObject({ granted: true, calls: [{ probe: true }] });
  expect(refused).toMatchObject({ granted: false, reason: 'denied' });
  expect(leased).toMatchObject({ granted: true, calls: [{ probe: false }] });
});

it('reports every caller what one has learned', async () => {
  const { governors } = world(2);
  const [one, other] = governors;
  await one?.lease([['floor']]);

  await other?.learn('floor', { kind: 'throttled', retryAfterSeconds: 60 }, false, 1);

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
  await governor.learn('lowestprice', retired, false, 1);
  calls.push(await callNow());
  await governor.learn('price', retired, false, 1);
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

const NODE = {
  callsPerSecond: 100,
  provider: 'ethereum-node',
  costs: evenCosts(20),
};
const spentBy = async ({ store }: ReturnType<typeof world>) =>
  (await store.get()).spent.inDay.polling;

it('charges a call by the requests that it made, which is what it was leased for as a rule', async () => {
  const node = world(1, { limits: NODE });
  await node.governor.lease([['price'], ['price'], ['price']]);
  const leased = await spentBy(node);

  await node.governor.learn('price', { kind: 'ok' }, false, 20);
  const usual = await spentBy(node);
  await node.governor.learn('price', { kind: 'empty' }, false, 3);
  const fewer = await spentBy(node);
  await node.governor.learn('price', { kind: 'failed', reason: 'timeout' }, false, 41);

  expect([leased, usual, fewer, await spentBy(node)]).toEqual([60, 60, 43, 64]);
});

it('gives back what a call was leased for that made no request', async () => {
  const service = world(1, {
    limits: { costs: { ...evenCosts(1), floor: 50, traits: 50 } },
  });
  await service.governor.lease([['floor']]);

  await service.governor.learn('floor', { kind: 'unsupported', reason: 'traits' }, false, 0);

  expect(await spentBy(service)).toBe(0);
});

it('writes a small difference with the next lease, and none of its own', async () => {
  const openSea = world(1, {
    limits: { provider: 'opensea', costs: { ...evenCosts(1), lowestprice: 2, price: 2 } },
  });
  await openSea.governor.lease([['floor']]);
  const before = openSea.calls.length;

  await openSea.governor.learn('floor', { kind: 'ok' }, false, 3);
  const written = openSea.calls.length - before;
  await openSea.governor.lease([['floor']]);

  expect([written, await spentBy(openSea)]).toEqual([0, 4]);
});

it('gives back on its own day alone what a call did not cost', async () => {
  const service = world(1, {
    limits: { costs: evenCosts(1) },
  });
  await service.governor.lease([['floor']]);
  await service.governor.learn('floor', { kind: 'unsupported', reason: 'traits' }, false, 0);

  service.clock.now = NOON + 24 * HOUR;
  await service.governor.lease([['floor'], ['floor']]);

  expect(await spentBy(service)).toBe(2);
});

it('gives a saving back once where the answer of its write is lost', async () => {
  let lost = 0;
  const service = world(1, {
    limits: { costs: evenCosts(1) },
    answer: () => {
      lost -= 1;
      if (lost === 0) throw new OutcomeUnknownError('the record');
    },
  });
  await service.governor.lease([['floor']]);
  await service.governor.learn('floor', { kind: 'unsupported', reason: 'traits' }, false, 0);

  lost = 1;
  await service.governor.lease([['floor']]);

  // The lease whose answer was lost is charged, too.
  expect(await spentBy(service)).toBe(1 + 2 - 1);
});

it('answers though a charge cannot be written, and writes it later', async () => {
  let fails = false;
  const node = world(1, {
    limits: NODE,
    delay: async () => {
      if (fails) throw new Error('the table refuses');
    },
  });
  await node.governor.lease([['price']]);
  fails = true;

  await node.governor.learn('price', { kind: 'ok' }, false, 3);
  fails = false;
  await node.governor.learn('price', { kind: 'ok' }, false, 20);

  expect(await spentBy(node)).toBe(3);
});

it('keeps each charge of many that are made at the same time', async () => {
  const random = createSeededRandom(11);
  const node = world(6, { limits: NODE, delay: () => sleep(random.below(3)) });
  await Promise.all(node.governors.map((governor) => governor.lease([['price'], ['price']])));
  const leased = await spentBy(node);

  await Promise.all(
    node.governors.flatMap((governor) => [
      governor.learn('price', { kind: 'ok' }, false, 5),
      governor.learn('price', { kind: 'ok' }, false, 3),
    ]),
  );

  expect([leased, await spentBy(node)]).toEqual([240, 6 * 8]);
});
