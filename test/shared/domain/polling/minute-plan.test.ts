import { expect, it } from 'vitest';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { newGovernorRecord } from '#shared/domain/polling/governor.ts';
import { inOrder, type Poll, planMinute } from '#shared/domain/polling/minute-plan.ts';
import { NOTHING_SPENT, shareOut } from '#shared/domain/polling/tenant-shares.ts';
import { aContractRecord, NOON, someLimits } from '#test/support/builders.ts';

const LIMITS = someLimits({ budgetPerDay: 1e9, budgetPerMonth: 1e10 });
const SPAN = { now: NOON, until: NOON + 45 * SECOND };
const PARTS = ['floor', 'lowest.1d', 'lowest.7d', 'lowest.30d'] as const;

function aPoll(number: number, given: Partial<Poll> = {}, tenant = 'acme'): Poll {
  const contract = `eth:0x${String(number).padStart(40, '0')}` as ContractKey;
  const record = aContractRecord({ contract, tenants: [tenant] });
  return { parts: ['floor'], isTurn: true, record, ...given };
}

const planned = (polls: readonly Poll[], governor = newGovernorRecord()) =>
  planMinute(governor, polls, LIMITS, SPAN);

it('gives each call a slot of its own, within the rate', () => {
  const { polls } = planned(Array.from({ length: 200 }, (_, index) => aPoll(index)));

  const slots = polls.flatMap(({ calls }) => calls.floor?.slot ?? []);
  // Fifteen of twenty calls in four seconds are those of polls.
  expect(slots).toHaveLength(Math.floor((45 * 15) / 4) + 1);
  expect(slots.every((slot, index) => index === 0 || slot - (slots[index - 1] ?? 0) >= 266)).toBe(
    true,
  );
  expect(Math.max(...slots)).toBeLessThanOrEqual(SPAN.until);
});

it('begins a poll so that it does not wait a second for its calls', () => {
  const { polls } = planned(
    Array.from({ length: 20 }, (_, index) => aPoll(index, { parts: [...PARTS] })),
  );

  const waits = polls.flatMap(({ startAt, calls }) =>
    Object.values(calls).flatMap((call) => (call === undefined ? [] : call.slot - startAt)),
  );
  expect(Math.max(...waits)).toBeLessThanOrEqual(SECOND);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(0);
  const ofFirst = polls.filter(({ record }) => record.contract.endsWith('00'));
  expect(ofFirst.flatMap(({ parts }) => parts)).toEqual(PARTS);
});

it('takes the one try of an open breaker for one poll', () => {
  const breaker = { reason: 'key', openedAt: NOON - MINUTE, probeAt: NOON - 1, probes: 3 };
  const governor = { ...newGovernorRecord(), breakers: { polling: breaker } };

  const found = planned([aPoll(1), aPoll(2)], governor);

  expect(found.governor.breakers.polling).toMatchObject({ probes: 4 });
  expect(found.polls.map(({ calls }) => calls)).toEqual([
    { floor: { call: 'floor', slot: NOON, probe: true } },
    {},
  ]);
});

it('gives a try its slot behind the other calls of its contract', () => {
  const breaker = { reason: 'plan', openedAt: NOON - MINUTE, probeAt: NOON - 1, probes: 3 };
  const governor = {
    ...newGovernorRecord(),
    breakers: { 'polling:price': breaker },
    retired: { lowestprice: NOON + MINUTE },
  };

  const { polls } = planned([aPoll(1, { parts: ['floor', 'lowest.1d'] })], governor);

  const made = Object.assign({}, ...polls.map(({ calls }) => calls));
  expect(made).toMatchObject({
    floor: { probe: false },
    'lowest.1d': { call: 'price', probe: true },
  });
});

it('lets tenants take turns, and of each those first that somebody waits for longest', () => {
  const greedy = Array.from({ length: 4 }, (_, index) => aPoll(index, {}, 'greedy'));
  const wanted = [2, 1].map((minutes) =>
    aPoll(10 + minutes, { isTurn: false, wantedSince: NOON - minutes * MINUTE }, 'modest'),
  );
  const polls = [...greedy, aPoll(20, {}, 'modest'), ...wanted.toReversed()];
  const records = polls.map(({ record }) => record);
  const shares = shareOut(records, NOTHING_SPENT, newGovernorRecord(), LIMITS, 30, NOON);

  const order = inOrder(polls, shares, LIMITS).map(({ record }) =>
    Number(record.contract.slice(6)),
  );

  expect(order).toEqual([12, 0, 11, 1, 20, 2, 3]);
});
