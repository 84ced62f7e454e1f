import { expect, it } from 'vitest';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { inOrder, type Poll, planMinute } from '#shared/domain/polling/minute-plan.ts';
import { newRateLimiterRecord } from '#shared/domain/polling/rate-limiter.ts';
import { NOTHING_SPENT, shareOut } from '#shared/domain/polling/tenant-shares.ts';
import { aContractRecord, NOON, someLimits } from '#test/support/builders.ts';

const LIMITS = someLimits({ budgetPerDay: 1e9, budgetPerMonth: 1e10 });
const SPAN = { now: NOON, until: NOON + 45 * SECOND };
const PRICE_SERIES_NAMES = ['floor', 'lowest.1d', 'lowest.7d', 'lowest.30d'] as const;

function aPoll(number: number, given: Partial<Poll> = {}, tenant = 'acme'): Poll {
  const contract = `eth:0x${String(number).padStart(40, '0')}` as ContractKey;
  const record = aContractRecord({ contract, tenants: [tenant] });
  return { series: ['floor'], isTurn: true, record, ...given };
}

const planned = (polls: readonly Poll[], rateLimiter = newRateLimiterRecord()) =>
  planMinute(rateLimiter, polls, LIMITS, SPAN);

it('gives each call of a minute a slot of its own, within the rate', () => {
  const { polls } = planned(Array.from({ length: 200 }, (_, index) => aPoll(index)));

  const times = polls.flatMap(({ calls }) => calls.floor?.callAt ?? []);
  // Polls may make fifteen of the twenty calls in four seconds.
  expect(times).toHaveLength(Math.floor((45 * 15) / 4) + 1);
  expect(
    times.every((callAt, index) => index === 0 || callAt - (times[index - 1] ?? 0) >= 266),
  ).toBe(true);
  expect(Math.max(...times)).toBeLessThanOrEqual(SPAN.until);
});

it('starts each poll at most a second before its calls', () => {
  const { polls } = planned(
    Array.from({ length: 20 }, (_, index) => aPoll(index, { series: [...PRICE_SERIES_NAMES] })),
  );

  const waits = polls.flatMap(({ startAt, calls }) =>
    Object.values(calls).flatMap((call) => (call === undefined ? [] : call.callAt - startAt)),
  );
  expect(Math.max(...waits)).toBeLessThanOrEqual(SECOND);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(0);
  const ofFirst = polls.filter(({ record }) => record.contract.endsWith('00'));
  expect(ofFirst.flatMap(({ series }) => series)).toEqual(PRICE_SERIES_NAMES);
});

it('uses the single probe of an open circuit breaker for one poll', () => {
  const breaker = { reason: 'key', openedAt: NOON - MINUTE, probeAt: NOON - 1, probes: 3 };
  const rateLimiter = { ...newRateLimiterRecord(), breakers: { polling: breaker } };

  const found = planned([aPoll(1), aPoll(2)], rateLimiter);

  expect(found.rateLimiter.breakers.polling).toMatchObject({ probes: 4 });
  expect(found.polls.map(({ calls }) => calls)).toEqual([
    { floor: { call: 'floor', callAt: NOON, probe: true } },
    {},
  ]);
});

it('reserves a probe after the other calls of its contract', () => {
  const breaker = { reason: 'plan', openedAt: NOON - MINUTE, probeAt: NOON - 1, probes: 3 };
  const rateLimiter = {
    ...newRateLimiterRecord(),
    breakers: { 'polling:price': breaker },
    retired: { lowestprice: NOON + MINUTE },
  };

  const { polls } = planned([aPoll(1, { series: ['floor', 'lowest.1d'] })], rateLimiter);

  const made = Object.assign({}, ...polls.map(({ calls }) => calls));
  expect(made).toMatchObject({
    floor: { probe: false },
    'lowest.1d': { call: 'price', probe: true },
  });
});

it('orders polls round-robin by tenant, and within a tenant by the longest pending refresh', () => {
  const greedy = Array.from({ length: 4 }, (_, index) => aPoll(index, {}, 'greedy'));
  const wanted = [2, 1].map((minutes) =>
    aPoll(10 + minutes, { isTurn: false, requestedSince: NOON - minutes * MINUTE }, 'modest'),
  );
  const polls = [...greedy, aPoll(20, {}, 'modest'), ...wanted.toReversed()];
  const records = polls.map(({ record }) => record);
  const shares = shareOut(records, NOTHING_SPENT, newRateLimiterRecord(), LIMITS, 30, NOON);

  const order = inOrder(polls, shares, LIMITS).map(({ record }) =>
    Number(record.contract.slice(6)),
  );

  expect(order).toEqual([12, 0, 11, 1, 20, 2, 3]);
});
