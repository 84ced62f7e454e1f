import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { createUpstreamRateLimiter } from '#shared/clients/upstream-rate-limiter.ts';
import { HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { OutcomeUnknownError } from '#shared/domain/outcome-unknown.ts';
import type { UpstreamUser } from '#shared/domain/polling/upstream-limits.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createRateLimiterStore } from '#shared/stores/rate-limiter-store.ts';
import { NOON, someLimits } from '#test/support/builders.ts';
import { evenCosts } from '#test/support/even-costs.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';

/**
 * Milliseconds from the first call to the call with this index. Calls are reserved two at a time,
 * and each interval is rounded up.
 */
function spaced(index: number, inFourSeconds: number): number {
  const spacing = 4000 / inFourSeconds;
  return Math.floor(index / 2) * Math.ceil(2 * spacing) + (index % 2) * Math.ceil(spacing);
}

/**
 * Rate limiters of several callers on one table, with counted and delayed calls. The callers belong
 * to `users` in turn.
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
  const store = createRateLimiterStore(createMemoryTable(), 'nft-data');
  const calls: string[] = [];
  const clock = { now: NOON };
  const records: Parameters<typeof createUpstreamRateLimiter>[0] = {
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
  const aRateLimiter = (index: number) =>
    createUpstreamRateLimiter(
      records,
      users[index % users.length] ?? 'polling',
      someLimits(given.limits),
      () => clock.now,
    );
  const rateLimiters = Array.from({ length: callers }, (_, index) => aRateLimiter(index));
  const [rateLimiter = aRateLimiter(0)] = rateLimiters;
  return { rateLimiters, rateLimiter, calls, clock, store };
}

it('eight concurrent callers never reserve the same call time, and each user stays within its share', async () => {
  const random = createSeededRandom(8);
  const delay = () => sleep(random.below(3));
  const { rateLimiters } = world(8, { delay, users: ['polling', 'interface'] });

  const timesOfCallers = await Promise.all(
    rateLimiters.map(async (rateLimiter) => {
      const times: number[] = [];
      for (let turn = 0; turn < 5; turn += 1) {
        const reserved = await rateLimiter.reserve([['floor'], ['lowestprice', 'price']]);
        if (reserved.granted) times.push(...reserved.calls.flatMap((call) => call?.callAt ?? []));
      }
      return times;
    }),
  );

  const slotsOf = (user: number) =>
    timesOfCallers
      .flatMap((times, caller) => (caller % 2 === user ? times : []))
      .toSorted((a, b) => a - b);
  // Polling may make 15 calls in four seconds, and reserves them a second ahead. The interface may
  // make five, and reserves them two seconds ahead.
  expect(slotsOf(0)).toEqual(Array.from({ length: 4 }, (_, index) => NOON + spaced(index, 15)));
  expect(slotsOf(1)).toEqual([NOON, NOON + 800, NOON + 1600]);
});

it('the rate limiter needs one write and no read for each reservation of a lone caller, except the first', async () => {
  const { rateLimiter, calls } = world();

  for (let turn = 0; turn < 4; turn += 1) await rateLimiter.reserve([['floor']]);

  expect(calls).toEqual(['get', 'put', 'put', 'put', 'put']);
});

it('the rate limiter does not access the table after an ordinary answer or a timeout', async () => {
  const { rateLimiter, calls } = world();

  for (const kind of ['ok', 'empty', 'not_ready', 'not_found'] as const) {
    await rateLimiter.learn('floor', { kind }, false, 1);
  }
  await rateLimiter.learn('floor', { kind: 'failed', reason: 'timeout' }, false, 1);

  expect(calls).toEqual([]);
});

it('the rate limiter rejects a caller only after reading the record, because another caller may have changed it', async () => {
  const { rateLimiters, clock } = world(2);
  const [one, other] = rateLimiters;
  await one?.learn('floor', { kind: 'denied', reason: 'key' }, false, 1);
  clock.now += MINUTE;
  const probe = await other?.reserve([['floor']]);
  const refused = await one?.reserve([['floor']]);
  await other?.learn('floor', { kind: 'ok' }, true, 1);

  const reserved = await one?.reserve([['floor']]);

  expect(probe).toMatchObject({ granted: true, calls: [{ probe: true }] });
  expect(refused).toMatchObject({ granted: false, reason: 'denied' });
  expect(reserved).toMatchObject({ granted: true, calls: [{ probe: false }] });
});

it('the rate limiter applies the answer to one caller to all other callers, too', async () => {
  const { rateLimiters } = world(2);
  const [one, other] = rateLimiters;
  await one?.reserve([['floor']]);

  await other?.learn('floor', { kind: 'throttled', retryAfterSeconds: 60 }, false, 1);

  expect(await one?.reserve([['floor']])).toEqual({
    granted: false,
    reason: 'blocked',
    until: NOON + MINUTE,
  });
});

it('reserves the first call of an operation that is not retired, or the last one if all are', async () => {
  const { rateLimiter, clock } = world();
  const retired = { kind: 'unsupported', reason: 'retired' } as const;
  const callNow = async () => {
    const reserved = await rateLimiter.reserve([['lowestprice', 'price']]);
    return reserved.granted ? reserved.calls.map((made) => made?.call) : reserved.reason;
  };

  const calls = [await callNow()];
  await rateLimiter.learn('lowestprice', retired, false, 1);
  calls.push(await callNow());
  await rateLimiter.learn('price', retired, false, 1);
  calls.push(await callNow());
  clock.now += 6 * HOUR;
  calls.push(await callNow());

  expect(calls).toEqual([['lowestprice'], ['price'], ['price'], ['lowestprice']]);
});

it('gives up a reservation after many conflicts with other callers, and passes other errors on', async () => {
  const { store } = world();
  const failing = (error: Error) =>
    createUpstreamRateLimiter(
      { get: store.get, put: () => Promise.reject(error) },
      'polling',
      someLimits(),
      () => NOON,
    );

  const busy = await failing(new VersionConflictError('rate limiter')).reserve([['floor']]);
  const broken = failing(new Error('no table')).reserve([['floor']]);

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

it('charges a call for the requests that it made, which are usually as many as were reserved', async () => {
  const node = world(1, { limits: NODE });
  await node.rateLimiter.reserve([['price'], ['price'], ['price']]);
  const reserved = await spentBy(node);

  await node.rateLimiter.learn('price', { kind: 'ok' }, false, 20);
  const usual = await spentBy(node);
  await node.rateLimiter.learn('price', { kind: 'empty' }, false, 3);
  const fewer = await spentBy(node);
  await node.rateLimiter.learn('price', { kind: 'failed', reason: 'timeout' }, false, 41);

  expect([reserved, usual, fewer, await spentBy(node)]).toEqual([60, 60, 43, 64]);
});

it('refunds a call that made no request', async () => {
  const service = world(1, {
    limits: { costs: { ...evenCosts(1), floor: 50, traits: 50 } },
  });
  await service.rateLimiter.reserve([['floor']]);

  await service.rateLimiter.learn('floor', { kind: 'unsupported', reason: 'traits' }, false, 0);

  expect(await spentBy(service)).toBe(0);
});

it('writes a small difference between actual and reserved cost with the next reservation, not separately', async () => {
  const openSea = world(1, {
    limits: { provider: 'opensea', costs: { ...evenCosts(1), lowestprice: 2, price: 2 } },
  });
  await openSea.rateLimiter.reserve([['floor']]);
  const before = openSea.calls.length;

  await openSea.rateLimiter.learn('floor', { kind: 'ok' }, false, 3);
  const written = openSea.calls.length - before;
  await openSea.rateLimiter.reserve([['floor']]);

  expect([written, await spentBy(openSea)]).toEqual([0, 4]);
});

it('refunds unused units only on the day of the call', async () => {
  const service = world(1, {
    limits: { costs: evenCosts(1) },
  });
  await service.rateLimiter.reserve([['floor']]);
  await service.rateLimiter.learn('floor', { kind: 'unsupported', reason: 'traits' }, false, 0);

  service.clock.now = NOON + 24 * HOUR;
  await service.rateLimiter.reserve([['floor'], ['floor']]);

  expect(await spentBy(service)).toBe(2);
});

it('refunds unused units once if the response of the write is lost', async () => {
  let lost = 0;
  const service = world(1, {
    limits: { costs: evenCosts(1) },
    answer: () => {
      lost -= 1;
      if (lost === 0) throw new OutcomeUnknownError('the record');
    },
  });
  await service.rateLimiter.reserve([['floor']]);
  await service.rateLimiter.learn('floor', { kind: 'unsupported', reason: 'traits' }, false, 0);

  lost = 1;
  await service.rateLimiter.reserve([['floor']]);

  // The reservation whose response was lost is charged, too.
  expect(await spentBy(service)).toBe(1 + 2 - 1);
});

it('returns the answer of a call even if its charge cannot be written, and writes the charge later', async () => {
  let fails = false;
  const node = world(1, {
    limits: NODE,
    delay: async () => {
      if (fails) throw new Error('the table refuses');
    },
  });
  await node.rateLimiter.reserve([['price']]);
  fails = true;

  await node.rateLimiter.learn('price', { kind: 'ok' }, false, 3);
  fails = false;
  await node.rateLimiter.learn('price', { kind: 'ok' }, false, 20);

  expect(await spentBy(node)).toBe(3);
});

it('stores every one of many concurrent charges', async () => {
  const random = createSeededRandom(11);
  const node = world(6, { limits: NODE, delay: () => sleep(random.below(3)) });
  await Promise.all(
    node.rateLimiters.map((rateLimiter) => rateLimiter.reserve([['price'], ['price']])),
  );
  const reserved = await spentBy(node);

  await Promise.all(
    node.rateLimiters.flatMap((rateLimiter) => [
      rateLimiter.learn('price', { kind: 'ok' }, false, 5),
      rateLimiter.learn('price', { kind: 'ok' }, false, 3),
    ]),
  );

  expect([reserved, await spentBy(node)]).toEqual([240, 6 * 8]);
});
