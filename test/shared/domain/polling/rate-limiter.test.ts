import { describe, expect, it } from 'vitest';
import { DAY, HOUR, type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { UpstreamCall } from '#shared/domain/market/operations.ts';
import type { Refusal } from '#shared/domain/market/upstream.ts';
import {
  budgetUsed,
  callCost,
  denialsOf,
  isRetired,
  learn,
  newRateLimiterRecord,
  type RateLimiterRecord,
  rateAt,
  reserve,
  wayFor,
} from '#shared/domain/polling/rate-limiter.ts';
import {
  callsPerWindow,
  type UpstreamLimits,
  type UpstreamUser,
} from '#shared/domain/polling/upstream-limits.ts';
import { NOON, someLimits } from '#test/support/builders.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';

const LIMITS = someLimits();

/** A rate limiter for a test, with its record. */
function aRateLimiter(
  limits: UpstreamLimits = LIMITS,
  record: RateLimiterRecord = newRateLimiterRecord(),
) {
  const world = { record };
  return {
    world,
    ask: (
      now: Instant,
      calls: readonly UpstreamCall[] = ['floor'],
      user: UpstreamUser = 'polling',
    ) => {
      const ways = calls.map((call) => [call]);
      const reserved = reserve(world.record, user, ways, limits, now);
      if (!reserved.granted) return reserved;
      world.record = reserved.record;
      const made = reserved.calls.flatMap((call) => call ?? []);
      const times = made.map(({ callAt }) => callAt);
      return { ...reserved, times, probe: made.some(({ probe }) => probe) };
    },
    tell: (
      now: Instant,
      outcome: Refusal | { kind: 'ok' },
      probe = false,
      user: UpstreamUser = 'polling',
      call: UpstreamCall = 'floor',
    ) => {
      const before = world.record;
      world.record = learn(before, user, call, outcome, probe, limits, now);
      return world.record !== before;
    },
  };
}

/** The maximum number of calls in any four seconds. */
function busiestWindow(times: readonly Instant[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  const counts = sorted.map(
    (start, index) => sorted.slice(index).filter((callAt) => callAt < start + 4 * SECOND).length,
  );
  return Math.max(...counts);
}

const USERS = ['polling', 'interface'] as const;

describe('the rate limit', () => {
  it.each([1, 2, 3, 5, 7, 10])(
    'keeps %d calls a second in any four seconds, and gives each user its share',
    (callsPerSecond) => {
      const random = createSeededRandom(callsPerSecond);
      const shares = { polling: 1 + random.below(70), interface: 1 + random.below(30) };
      const limits = someLimits({ callsPerSecond, budgetPerDay: 1e9, budgetPerMonth: 1e9, shares });
      const { ask, tell } = aRateLimiter(limits);
      const times = { polling: [] as Instant[], interface: [] as Instant[] };
      let now = NOON;
      for (let turn = 0; turn < 2400; turn += 1) {
        // The first half is a burst that leaves no slot unused. The second half has pauses of all
        // lengths.
        now += random.below(turn < 1200 ? 50 : random.pick([1, 10, 100, 2500]));
        const calls = Array.from({ length: 1 + random.below(4) }, () => 'price' as const);
        const user = random.pick(USERS);
        const reserved = ask(now, calls, user);
        if (reserved.granted) times[user].push(...reserved.times);
        if (turn > 1200 && random.below(50) === 0) tell(now, { kind: 'throttled' });
      }

      for (const user of USERS) {
        expect(new Set(times[user]).size).toBe(times[user].length);
        expect(busiestWindow(times[user])).toBe(callsPerWindow(user, limits));
      }
      const all = busiestWindow([...times.polling, ...times.interface]);
      expect(all).toBeLessThanOrEqual(4 * callsPerSecond);
    },
  );

  it('divides the rate into whole calls, at least one for each user', () => {
    const seriesOf = (callsPerSecond: number, polling: number, other: number) => {
      const limits = { callsPerSecond, shares: { polling, interface: other } };
      return USERS.map((user) => callsPerWindow(user, limits));
    };

    expect(seriesOf(5, 60, 20)).toEqual([15, 5]);
    expect(seriesOf(5, 50, 50)).toEqual([10, 10]);
    expect(seriesOf(1, 99, 1)).toEqual([3, 1]);
    expect(seriesOf(1, 1, 99)).toEqual([1, 3]);
    expect(seriesOf(3, 50, 20)).toEqual([9, 3]);
  });

  it('spaces calls evenly, also across batches', () => {
    const { ask } = aRateLimiter();

    const reserved = [ask(NOON, ['floor', 'price', 'price']), ask(NOON), ask(NOON + 5000)];

    expect(reserved.map((reserved) => reserved.granted && reserved.times)).toEqual([
      [NOON, NOON + 267, NOON + 534],
      [NOON + 800],
      [NOON + 5000],
    ]);
  });

  it.each([
    { user: 'polling', ahead: 'one', times: 4, until: NOON + 68 },
    { user: 'interface', ahead: 'two', times: 3, until: NOON + 400 },
  ] as const)(
    'reserves calls for $user only some seconds ahead: $ahead',
    ({ user, times, until }) => {
      const { ask } = aRateLimiter();
      const all = Array.from({ length: 60 }, () => ask(NOON, ['price'], user));

      const granted = all.filter((reserved) => reserved.granted);

      expect(granted).toHaveLength(times);
      expect(ask(NOON, ['price'], user)).toEqual({ granted: false, reason: 'busy', until });
    },
  );

  it('keeps the share of one user free, however many calls the other requests', () => {
    const { ask } = aRateLimiter();
    for (let turn = 0; turn < 60; turn += 1) ask(NOON, ['price'], 'polling');

    expect(ask(NOON, ['price'], 'interface')).toMatchObject({ granted: true, times: [NOON] });
  });

  it('halves the rate after a 429, once for a burst, and restores it within minutes', () => {
    const { tell, world } = aRateLimiter(someLimits({ callsPerSecond: 8 }));
    tell(NOON, { kind: 'throttled' });
    tell(NOON + SECOND, { kind: 'throttled' });
    tell(NOON + 4 * SECOND, { kind: 'throttled' });

    const rates = [0, MINUTE, 2 * MINUTE, HOUR].map((later) =>
      rateAt(world.record, someLimits({ callsPerSecond: 8 }), NOON + 4 * SECOND + later),
    );

    expect(rates[0]).toBeCloseTo(2.1, 1);
    expect(rates[1]).toBeCloseTo(4.2, 1);
    expect(rates.slice(2)).toEqual([8, 8]);
  });

  it('never reduces the rate below one call in ten seconds', () => {
    const { tell, world } = aRateLimiter();
    for (let burst = 0; burst < 50; burst += 1)
      tell(NOON + burst * 4 * SECOND, { kind: 'throttled' });

    expect(rateAt(world.record, LIMITS, NOON + 49 * 4 * SECOND)).toBe(0.1);
  });

  it.each([
    { seconds: [undefined], pause: 4 * SECOND },
    { seconds: [0], pause: 4 * SECOND },
    { seconds: [1], pause: 4 * SECOND },
    { seconds: [90], pause: 90 * SECOND },
    { seconds: [90, undefined], pause: 90 * SECOND },
    { seconds: [90, 0], pause: 90 * SECOND },
  ])(
    'pauses for the longer of the rate window and Retry-After, after 429s with $seconds',
    ({ seconds, pause }) => {
      const { ask, tell } = aRateLimiter();
      for (const retryAfterSeconds of seconds) {
        tell(NOON, {
          kind: 'throttled',
          ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
        });
      }

      expect(ask(NOON + pause - 1)).toEqual({
        granted: false,
        reason: 'blocked',
        until: NOON + pause,
      });
      expect(ask(NOON + pause).granted).toBe(true);
    },
  );
});

describe('the budget', () => {
  it('never exceeds the budget of a day or month, and grants each user at least its share', () => {
    const random = createSeededRandom(9);
    const shares = { polling: 55, interface: 25 };
    const limits = someLimits({ budgetPerDay: 1000, budgetPerMonth: 12_345, shares });
    const { ask } = aRateLimiter(limits);
    const spent = new Map<string, number>();
    const spentIn = (...span: readonly string[]) => spent.get(span.join(' ')) ?? 0;
    const greed = { polling: 10, interface: 10 };
    let now = Date.UTC(2026, 9, 30);
    while (now < Date.UTC(2026, 11, 3)) {
      now += random.below(HOUR / 2);
      // One user is greedy, then the other, then both.
      if (random.below(40) === 0) greed[random.pick(USERS)] = random.pick([0, 1, 10]);
      const user = random.pick(USERS);
      if (random.below(10) >= greed[user]) continue;
      const calls = Array.from({ length: 1 + random.below(5) }, () =>
        random.pick(['floor', 'price', 'traits'] as const),
      );
      const reserved = ask(now, calls, user);
      const date = new Date(now).toISOString();
      const [day, month] = [date.slice(0, 10), date.slice(0, 7)];
      const cost = callCost(calls.slice(0, reserved.granted ? reserved.times.length : 1), limits);
      if (reserved.granted) {
        for (const span of [day, month]) {
          spent.set(span, spentIn(span) + cost);
          spent.set(`${span} ${user}`, spentIn(span, user) + cost);
        }
      } else {
        const reserved = (budget: number) => Math.floor((budget * shares[user]) / 100);
        const isBeyond =
          spentIn(day, user) + cost > reserved(limits.budgetPerDay) ||
          spentIn(month, user) + cost > reserved(limits.budgetPerMonth);
        expect(isBeyond).toBe(true);
      }
    }

    const most = (span: RegExp) =>
      Math.max(...[...spent].map(([name, cost]) => (span.test(name) ? cost : 0)));
    expect(most(/^.{10}$/)).toBeGreaterThan(900);
    expect(most(/^.{10}$/)).toBeLessThanOrEqual(1000);
    expect(most(/^.{10} polling$/)).toBeGreaterThan(700);
    expect(most(/^.{10} interface$/)).toBeGreaterThan(400);
    expect(most(/^.{7}$/)).toBeGreaterThan(12_000);
    expect(most(/^.{7}$/)).toBeLessThanOrEqual(12_345);
  });

  it.each([
    { short: 'day', limits: { budgetPerDay: 123 }, until: Date.UTC(2026, 10, 22) },
    { short: 'month', limits: { budgetPerMonth: 123 }, until: Date.UTC(2026, 11, 1) },
  ])(
    'grants only as many calls of a batch as the remaining $short budget covers, until the $short ends',
    ({ limits, until }) => {
      const { ask } = aRateLimiter(someLimits(limits));

      expect(ask(NOON, ['floor', 'traits'])).toMatchObject({ granted: true, times: [NOON] });
      expect(ask(NOON, ['traits'])).toEqual({ granted: false, reason: 'budget', until });
      expect(ask(NOON, ['price']).granted).toBe(true);
      expect(ask(until).granted).toBe(true);
    },
  );

  it.each([
    { user: 'polling', other: 'interface', alone: 80 },
    { user: 'interface', other: 'polling', alone: 40 },
  ] as const)('lets $user spend $alone percent of the budget at most', ({ user, other, alone }) => {
    const { ask } = aRateLimiter(someLimits({ budgetPerDay: 100, callsPerSecond: 1000 }));
    const asked = (by: UpstreamUser) =>
      Array.from({ length: 120 }, () => ask(NOON, ['price'], by)).filter(({ granted }) => granted);

    expect(asked(user)).toHaveLength(alone);
    expect(asked(other)).toHaveLength(100 - alone);
  });

  it('reports the used budget of the day and the month in percent, for all users together', () => {
    const limits = someLimits({ budgetPerDay: 200, budgetPerMonth: 1000 });
    const spent = {
      day: '2026-11-21',
      inDay: { polling: 70, interface: 30 },
      inMonth: { polling: 200, interface: 650 },
    };
    const record = { ...newRateLimiterRecord(), spent };

    expect(budgetUsed(record, limits, NOON)).toEqual({ inDay: 50, inMonth: 85 });
    expect(budgetUsed(record, limits, NOON + DAY)).toEqual({ inDay: 0, inMonth: 85 });
    expect(budgetUsed(record, limits, NOON + 30 * DAY)).toEqual({ inDay: 0, inMonth: 0 });
  });

  it('the rate limiter charges only granted calls', () => {
    const { ask, world } = aRateLimiter(someLimits({ budgetPerDay: 75 }));
    ask(NOON);
    const before = world.record;

    ask(NOON);

    expect(world.record).toBe(before);
    expect(before.spent).toEqual({
      day: '2026-11-21',
      inDay: { polling: 50, interface: 0 },
      inMonth: { polling: 50, interface: 0 },
    });
  });
});

describe('the circuit breaker', () => {
  const quota = { kind: 'denied', reason: 'quota' } as const;

  it('opens the circuit breaker of one user without affecting the other', () => {
    const { ask, tell } = aRateLimiter();
    tell(NOON, quota, false, 'interface');
    const stopped = [ask(NOON), ask(NOON, ['price'], 'interface')];

    tell(NOON, { kind: 'denied', reason: 'key' });
    const probe = ask(NOON + MINUTE, ['price'], 'interface');
    tell(NOON + MINUTE, { kind: 'ok' }, true, 'interface');

    expect(stopped.map(({ granted }) => granted)).toEqual([true, false]);
    expect(probe).toMatchObject({ granted: true, probe: true });
    expect(ask(NOON + MINUTE, ['price'], 'interface')).toMatchObject({ probe: false });
    expect(ask(NOON + MINUTE)).toMatchObject({ granted: true, probe: true });
  });

  it('rejects all calls of a user, except one probe after 1, 2, 4 … 60 minutes', () => {
    const { ask, tell } = aRateLimiter(someLimits({ budgetPerDay: 1e9 }));
    tell(NOON, quota);
    const tries: number[] = [];
    for (let minute = 0; minute < 260; minute += 1) {
      const now = NOON + minute * MINUTE;
      const [first, second] = [ask(now), ask(now)];
      if (first.granted) {
        expect(first.probe).toBe(true);
        tries.push(minute);
        tell(now, quota, true);
      }
      expect(second).toMatchObject({ granted: false, reason: 'denied' });
    }

    expect(tries).toEqual([1, 3, 7, 15, 31, 63, 123, 183, 243]);
  });

  it.each<{ outcome: Refusal | { kind: 'ok' }; probe: boolean; closes: boolean }>([
    { outcome: { kind: 'ok' }, probe: true, closes: true },
    { outcome: { kind: 'empty' }, probe: true, closes: true },
    { outcome: { kind: 'not_ready' }, probe: true, closes: true },
    { outcome: { kind: 'not_found' }, probe: true, closes: true },
    { outcome: { kind: 'unsupported', reason: 'money' }, probe: true, closes: true },
    { outcome: { kind: 'ok' }, probe: false, closes: false },
    { outcome: { kind: 'failed', reason: 'timeout' }, probe: true, closes: false },
    { outcome: { kind: 'throttled' }, probe: true, closes: false },
    { outcome: quota, probe: true, closes: false },
  ])(
    'closes the circuit breaker on $outcome of its probe ($probe): $closes',
    ({ outcome, probe, closes }) => {
      const { ask, tell, world } = aRateLimiter();
      tell(NOON, quota);
      ask(NOON + MINUTE);

      tell(NOON + MINUTE, outcome, probe);

      expect(world.record.breakers.polling === undefined).toBe(closes);
      expect(ask(NOON + MINUTE + SECOND).granted).toBe(closes);
    },
  );

  const plan = { kind: 'denied', reason: 'plan' } as const;

  it('stops only a call that the plan does not include, and only for that user', () => {
    const { ask, tell } = aRateLimiter();
    tell(NOON, plan);

    expect(ask(NOON, ['floor'])).toEqual({
      granted: false,
      reason: 'denied',
      until: NOON + MINUTE,
    });
    expect(ask(NOON, ['traits', 'floor', 'price'])).toMatchObject({
      calls: [{ call: 'traits', probe: false }, undefined, { call: 'price', probe: false }],
    });
    expect(ask(NOON, ['floor'], 'interface').granted).toBe(true);
  });

  it('probes a denied call after 1, 2 and 4 minutes, and closes its circuit breaker once it is answered', () => {
    const { ask, tell, world } = aRateLimiter();
    tell(NOON, plan);
    const tries: number[] = [];
    for (let minute = 0; minute < 8; minute += 1) {
      const now = NOON + minute * MINUTE;
      const [price, first, second] = [ask(now, ['price']), ask(now), ask(now)];
      expect(price).toMatchObject({ granted: true, probe: false });
      expect(second.granted).toBe(false);
      if (first.granted && first.probe) {
        tries.push(minute);
        tell(now, plan, true);
      }
    }
    tell(NOON + 8 * MINUTE, { kind: 'ok' }, true);

    expect(tries).toEqual([1, 3, 7]);
    expect(world.record.breakers).toEqual({});
  });

  it('uses the other call of an operation while the first is denied', () => {
    const { tell, world } = aRateLimiter();
    const way = () => wayFor(world.record, 'polling', ['lowestprice', 'price'], NOON);
    const ways = [way()];

    tell(NOON, plan, false, 'polling', 'lowestprice');
    ways.push(way());
    tell(NOON, { kind: 'unsupported', reason: 'retired' }, false, 'polling', 'price');
    ways.push(way());

    expect(ways).toEqual(['lowestprice', 'price', undefined]);
  });

  it('closes the circuit breaker of a user if its probe is denied by the plan, because the key was accepted', () => {
    const { ask, tell, world } = aRateLimiter();
    tell(NOON, { kind: 'denied', reason: 'key' });
    ask(NOON + MINUTE);

    tell(NOON + MINUTE, plan, true);

    expect(Object.keys(world.record.breakers)).toEqual(['polling:floor']);
  });

  it('reports an operation as denied only if no call can answer it', () => {
    const { tell, world } = aRateLimiter();
    const denied = (user: UpstreamUser) =>
      denialsOf(world.record, user, NOON).map(({ operation, reason }) => [operation, reason]);
    tell(NOON, plan, false, 'interface', 'traits');
    tell(NOON, plan, false, 'polling', 'lowestprice');
    const before = [denied('polling'), denied('interface')];
    tell(NOON, { kind: 'unsupported', reason: 'retired' }, false, 'polling', 'price');
    tell(NOON, quota, false, 'polling');

    expect(before).toEqual([[], [['traits', 'plan']]]);
    expect(denied('polling')).toEqual([
      [undefined, 'quota'],
      ['lowest', 'plan'],
    ]);
    expect(denialsOf(world.record, 'interface', NOON)).toEqual([
      { operation: 'traits', reason: 'plan', since: NOON, probeAt: NOON + MINUTE },
    ]);
  });

  it('records a denial once, and again if the reason changes', () => {
    const { tell, world } = aRateLimiter();

    const noted = [quota, quota, { kind: 'denied', reason: 'key' } as const].map((outcome, index) =>
      tell(NOON + index, outcome),
    );

    expect(noted).toEqual([true, false, true]);
    expect(world.record.breakers.polling).toMatchObject({ reason: 'key', openedAt: NOON + 2 });
  });
});

it('remembers for six hours that an operation is retired, but not that a chain is unsupported', () => {
  const { tell, world } = aRateLimiter();

  expect(tell(NOON, { kind: 'unsupported', reason: 'chain' })).toBe(false);
  expect(tell(NOON, { kind: 'unsupported', reason: 'retired' })).toBe(true);

  const retired = [0, 6 * HOUR - 1, 6 * HOUR].map((later) =>
    isRetired(world.record, 'floor', NOON + later),
  );
  expect(retired).toEqual([true, true, false]);
  expect(isRetired(world.record, 'price', NOON)).toBe(false);
});

it('does not change the rate limiter after a normal answer', () => {
  const { tell } = aRateLimiter();

  expect(tell(NOON, { kind: 'ok' })).toBe(false);
  expect(tell(NOON + DAY, { kind: 'failed', reason: 'timeout' })).toBe(false);
});
