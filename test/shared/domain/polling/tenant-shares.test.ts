import { describe, expect, it } from 'vitest';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { withTenant } from '#shared/domain/polling/contract-record.ts';
import { newRateLimiterRecord } from '#shared/domain/polling/rate-limiter.ts';
import {
  NOTHING_SPENT,
  type PerTenant,
  shareOut,
  withSpent,
} from '#shared/domain/polling/tenant-shares.ts';
import { aContractRecord, NOON, someLimits } from '#test/support/builders.ts';
import { evenCosts } from '#test/support/even-costs.ts';

const costs = { ...evenCosts(1), floor: 50, traits: 50 };
const shares = { polling: 99, interface: 1 };
const plenty = { budgetPerDay: 1e9, budgetPerMonth: 1e9, callsPerSecond: 1000, costs, shares };
const MIDNIGHT = NOON - 12 * HOUR;

/** This number of contracts whose floors are needed; each is watched by these tenants. */
function contracts(count: number, ...tenants: readonly string[]) {
  return Array.from({ length: count }, (_, index) =>
    aContractRecord({
      contract: `eth:0x${(index + 1).toString(16).padStart(40, '0')}` as ContractKey,
      series: { floor: {} },
      tenants,
    }),
  );
}

function sharesOf(
  records: ReturnType<typeof contracts>,
  limits: Parameters<typeof someLimits>[0],
  { now = MIDNIGHT, inDay = new Map() }: { now?: number; inDay?: PerTenant<number> } = {},
) {
  const day = new Date(now).toISOString().slice(0, 10);
  const polling = [...inDay.values()].reduce((sum, units) => sum + units, 0);
  const spent = { polling, interface: 0 };
  const rateLimiter = { ...newRateLimiterRecord(), spent: { day, inDay: spent, inMonth: spent } };
  const spending = { day, inDay, inMonth: inDay };
  return shareOut(records, spending, rateLimiter, someLimits({ ...plenty, ...limits }), 30, now);
}

/** The minutes between two polls, for each tenant with a stretched cadence. */
function minutesOf({ cadences }: ReturnType<typeof shareOut>): Readonly<Record<string, number>> {
  const paces = Object.entries(cadences.stretched);
  return Object.fromEntries(paces.map(([tenant, { minutes }]) => [tenant, minutes]));
}

describe('the cadence of a lone tenant', () => {
  it.each([
    { because: 'nothing is short', limits: {}, stretched: [] },
    // Polls use 40 seconds of every minute, with three calls every four seconds.
    {
      because: 'the rate limit is just sufficient',
      limits: { callsPerSecond: 1 },
      count: 900,
      stretched: [],
    },
    {
      because: 'the rate limit is too low',
      limits: { callsPerSecond: 1 },
      count: 901,
      stretched: [['acme', 60]],
    },
    {
      because: 'the budget of an hour is too small',
      limits: { budgetPerHour: 60 },
      stretched: [['acme', 60]],
    },
    {
      because: 'the budget of a day is too small',
      limits: { budgetPerDay: 150 },
      stretched: [['acme', 480]],
    },
    {
      because: 'the budget of a month is too small',
      limits: { budgetPerMonth: 100 },
      stretched: [['acme', 7680]],
    },
    {
      because: 'the budget of a day is 0, so polls stop',
      limits: { budgetPerDay: 0 },
      stretched: [],
    },
  ])(
    'stretches the cadence of a lone tenant to $stretched when $because',
    ({ limits, count = 1, stretched }) => {
      const found = sharesOf(contracts(count, 'acme'), limits, { now: NOON });

      expect(minutesOf(found)).toEqual(Object.fromEntries(stretched));
    },
  );

  it('stretches a cadence by the budget that is left today, and restores it on the next day', () => {
    const limits = { budgetPerDay: 2500 };
    const at = (now: number, spent: number) => {
      const inDay = new Map([['acme', spent]]);
      return minutesOf(sharesOf(contracts(1, 'acme'), limits, { now, inDay }));
    };

    expect(at(NOON, 1250)).toEqual({});
    expect(at(NOON, 2000)).toEqual({ acme: 120 });
    expect(at(NOON + DAY, 0)).toEqual({});
  });
});

describe('a tenant that needs more than its share', () => {
  // Room for a hundred contracts at a cadence of 30 minutes.
  const limits = { budgetPerDay: Math.ceil((100 * 48 * 50) / 0.99) };
  const modest = contracts(20, 'modest');
  const others = contracts(5000, 'greedy').slice(20);

  it('polls only the contracts of a greedy tenant less often', () => {
    const found = sharesOf([...modest, ...others], limits);

    expect(minutesOf(found)).toEqual({ greedy: 1920 });
    expect(new Set(modest.map(found.cadenceOf))).toEqual(new Set([30]));
    expect(new Set(others.map(found.cadenceOf))).toEqual(new Set([960, 1920]));
  });

  it('gives a greedy tenant the budget that others do not use', () => {
    const stretchedBy = (count: number) =>
      minutesOf(sharesOf([...modest, ...others.slice(0, count)], limits));

    expect(stretchedBy(80)).toEqual({});
    expect(stretchedBy(81)).toEqual({ greedy: 60 });
  });

  it('limits the first polls of a greedy tenant to half of the unused budget', () => {
    const { outOfTurn } = sharesOf([...modest, ...others], limits);

    // The greedy tenant may spend half of the unused budget at once. The modest tenant may spend
    // half of its equal share.
    expect(Math.round(outOfTurn('greedy') / 50 / 48)).toBe(40);
    expect(Math.round(outOfTurn('modest') / 50 / 48)).toBe(25);
  });

  it('leaves other tenants their share for the rest of the day, whatever a greedy tenant spent by noon', () => {
    const inDay = new Map([
      ['modest', 20 * 24 * 50],
      ['greedy', 79 * 48 * 50],
    ]);

    const { modest: none, greedy = 0 } = minutesOf(
      sharesOf([...modest, ...others], limits, { now: NOON, inDay }),
    );

    expect(none).toBeUndefined();
    expect(greedy).toBeGreaterThan(1920);
  });
});

describe('a contract that several tenants watch', () => {
  it('polls a shared contract at the shortest cadence of its tenants', () => {
    const limits = { budgetPerDay: Math.ceil((40 * 48 * 50) / 0.99) };
    const both = contracts(1, 'greedy', 'modest');
    const greedy = contracts(500, 'greedy').slice(1);

    const { cadences, cadenceOf } = sharesOf([...both, ...greedy], limits);

    expect(Object.keys(cadences.stretched)).toEqual(['greedy']);
    expect(both.map(cadenceOf)).toEqual([30]);
  });

  it('charges a shared contract to its tenants in equal parts', () => {
    const [record] = contracts(1, 'acme', 'umbrella');
    if (record === undefined) throw new RangeError('no record');

    const spending = withSpent(NOTHING_SPENT, record, 50, NOON);

    expect([...spending.inDay]).toEqual([
      ['acme', 25],
      ['umbrella', 25],
    ]);
  });

  it('stores each tenant of a contract once, and at most fifty tenants', () => {
    const names = Array.from({ length: 60 }, (_, index) => `tenant-${10 + index}`);
    const watched = names.reduce(
      (record, tenant) => withTenant(withTenant(record, tenant, true), tenant, true),
      aContractRecord({ tenants: [] }),
    );

    expect(watched.tenants).toEqual(names.slice(0, 50));
    expect(withTenant(watched, 'tenant-10', false).tenants).toEqual(names.slice(1, 50));
  });
});

it("drops yesterday's spending, and last month's on the first day of a month", () => {
  const [record] = contracts(1, 'acme');
  if (record === undefined) throw new RangeError('no record');
  const last = Date.UTC(2026, 10, 30, 23);
  const before = withSpent(withSpent(NOTHING_SPENT, record, 50, last - DAY), record, 50, last);

  const after = withSpent(before, record, 1, last + 2 * HOUR + MINUTE);

  expect([...before.inDay, ...before.inMonth].map(([, units]) => units)).toEqual([50, 100]);
  expect([...after.inDay, ...after.inMonth].map(([, units]) => units)).toEqual([1, 1]);
});
