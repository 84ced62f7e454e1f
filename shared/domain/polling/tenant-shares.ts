import { DAY, HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { carrierOf } from '#shared/domain/market/price-series.ts';
import { type Cadences, stretchedCadence } from './cadences.ts';
import { type ContractRecord, seriesIn } from './contract-record.ts';
import { callOf, isReportedBy, pollsPerMinute } from './due-work.ts';
import { cadenceAt, type Pace, type Polled, pollPace } from './pace.ts';
import {
  callCost,
  leftAt,
  newRateLimiterRecord,
  type RateLimiterRecord,
  startOfNextDay,
  startOfNextMonth,
  utcDay,
} from './rate-limiter.ts';
import type { UpstreamLimits } from './upstream-limits.ts';

/** Units that polls have cost each tenant in a UTC day (`2026-11-21`) and month. */
export type TenantSpending = {
  readonly day: string;
  readonly inDay: PerTenant<number>;
  readonly inMonth: PerTenant<number>;
};

export type PerTenant<Value> = ReadonlyMap<string, Value>;

/**
 * The resources that one poll of all of a tenant's contracts needs. A contract of several tenants
 * counts as a fraction for each.
 */
type Needs = {
  readonly contracts: number;
  readonly calls: number;
  readonly units: number;
  readonly polled: readonly Polled[];
};

/** The division of a minute's polls among tenants. */
export type Shares = {
  readonly cadences: Cadences;
  /** Minutes between two polls of a contract: the shortest cadence of its tenants. */
  readonly cadenceOf: (record: ContractRecord) => number;
  /** Units that a tenant may spend now on polls out of turn. */
  readonly outOfTurn: (tenant: string) => number;
};

const LONGEST_MONTH_DAYS = 31;
/**
 * Part of a day's share that polls out of turn may use at any time. From noon (UTC) on, the limit
 * rises with the elapsed part of the day.
 */
const AT_ONCE = 0.5;
/** The payer of a contract without tenants. */
const NO_TENANT = '#';

/** The tenants that pay for the polls of a contract, in equal parts. */
export function payingTenants({ tenants }: ContractRecord): readonly string[] {
  return tenants.length === 0 ? [NO_TENANT] : tenants;
}

/**
 * Divides rate and budget among tenants by max-min fairness: shares are equal, and what a tenant
 * does not need is divided among the others. If a tenant needs more than its share, only its own
 * contracts are polled less often.
 */
export function shareOut(
  records: readonly ContractRecord[],
  spending: TenantSpending,
  rateLimiter: RateLimiterRecord,
  limits: UpstreamLimits,
  configuredMinutes: number,
  now: Instant,
): Shares {
  const needs = needsOf(records, limits);
  const spent = tenantSpendingAt(spending, now);
  const left = leftAt(rateLimiter.spent, 'polling', limits, now);
  const calls = shared(
    mapped(needs, (need) => need.calls / configuredMinutes),
    pollsPerMinute(limits),
  );
  const budget = (units: number, spentBy: PerTenant<number>, end: Instant) => {
    const used = (tenant: string) => spentBy.get(tenant) ?? 0;
    const rounds = (end - now) / MINUTE / configuredMinutes;
    const needed = mapped(needs, (need) => need.units * rounds);
    const all = units + sum([...needs.keys()].map(used));
    const wanted = mapped(needed, (need, tenant) => used(tenant) + need);
    const shares = shared(wanted, all);
    const wantedByAll = sum([...wanted.values()]);
    /**
     * Maximum that a tenant could get: an equal part, or everything that the others do not need,
     * whichever is more.
     */
    const room = (tenant: string) => {
      const others = wantedByAll - (wanted.get(tenant) ?? 0);
      return Math.max(all / Math.max(1, needs.size), all - others);
    };
    /**
     * How many times longer the tenant's cadence must be than the configured one. The factor is 1
     * if the budget is spent, because nothing is polled then.
     */
    const stretchOf = (tenant: string) => {
      const left = (shares.get(tenant) ?? 0) - used(tenant);
      return units <= 0 ? 1 : (needed.get(tenant) ?? 0) / Math.max(left, Number.EPSILON);
    };
    return { used, room, stretchOf };
  };
  // Divide the whole hourly budget and ignore the units already spent in this hour: they are few,
  // and the hour ends soon.
  const hour = budget(wholeBudget(limits).inHour, new Map(), now + HOUR);
  const day = budget(left.inDay, spent.inDay, startOfNextDay(now));
  const month = budget(left.inMonth, spent.inMonth, startOfNextMonth(now));

  const paces = mapped(needs, (need, tenant): Pace => {
    const byRate = need.calls / configuredMinutes / (calls.get(tenant) ?? 1);
    const byBudget = Math.max(...[hour, day, month].map(({ stretchOf }) => stretchOf(tenant)));
    const minutes = stretchedCadence(configuredMinutes, Math.max(byRate, byBudget));
    if (minutes === configuredMinutes) return { minutes };
    const stretch = minutes / configuredMinutes;
    const beyond = {
      calls: need.calls * (stretch / byRate - 1),
      units: need.units * (stretch / byBudget - 1),
    };
    return pollPace(need.polled, { minutes, configuredMinutes }, beyond, now);
  });
  const elapsed = (now % DAY) / DAY;
  return {
    cadences: {
      stretched: inOrder([...paces].filter(([, { minutes }]) => minutes > configuredMinutes)),
      capacity: contractsCarried(limits, configuredMinutes),
      contracts: inOrder([...needs].map(([tenant, { contracts }]) => [tenant, contracts])),
    },
    cadenceOf: (record) =>
      Math.min(
        ...payingTenants(record).map((tenant) => {
          const pace = paces.get(tenant);
          return pace === undefined ? configuredMinutes : cadenceAt(pace, record);
        }),
      ),
    outOfTurn: (tenant) =>
      Math.min(
        day.room(tenant) * Math.max(elapsed, AT_ONCE) - day.used(tenant),
        month.room(tenant) - month.used(tenant),
      ),
  };
}

/** Adds the cost of a contract's polls to the spending. */
export function withSpent(
  spending: TenantSpending,
  record: ContractRecord,
  units: number,
  now: Instant,
): TenantSpending {
  const { day, inDay, inMonth } = tenantSpendingAt(spending, now);
  const payers = payingTenants(record);
  const added = (before: PerTenant<number>) => {
    const after = new Map(before);
    for (const payer of payers) after.set(payer, (after.get(payer) ?? 0) + units / payers.length);
    return after;
  };
  return { day, inDay: added(inDay), inMonth: added(inMonth) };
}

export const NOTHING_SPENT: TenantSpending = { day: '', inDay: new Map(), inMonth: new Map() };

/** Units spent in the day and month of `now`. */
export function tenantSpendingAt(spending: TenantSpending, now: Instant): TenantSpending {
  const day = utcDay(now);
  if (spending.day === day) return spending;
  const isSameMonth = spending.day.slice(0, 7) === day.slice(0, 7);
  return { day, inDay: new Map(), inMonth: isSameMonth ? spending.inMonth : new Map() };
}

/** Units that polls may cost in a whole hour, day and month. */
function wholeBudget(limits: UpstreamLimits) {
  return leftAt(newRateLimiterRecord().spent, 'polling', limits, 0);
}

/**
 * Number of contracts that can be polled at the configured cadence with the rate and the whole
 * budgets, if only their floors are polled.
 */
export function contractsCarried(limits: UpstreamLimits, configuredMinutes: number): number {
  const all = wholeBudget(limits);
  const daily = Math.min(all.inHour * 24, all.inDay, all.inMonth / LONGEST_MONTH_DAYS);
  const rounds = DAY / MINUTE / configuredMinutes;
  const byBudget = daily / rounds / Math.max(limits.costs.floor, Number.EPSILON);
  return Math.min(byBudget, pollsPerMinute(limits) * configuredMinutes);
}

/** Sorts by name, so that equal entries give equal text. */
function inOrder<Value>(
  entries: readonly (readonly [string, Value])[],
): Readonly<Record<string, Value>> {
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function needsOf(records: readonly ContractRecord[], limits: UpstreamLimits): PerTenant<Needs> {
  const needs = new Map<
    string,
    { -readonly [Of in keyof Needs]: Needs[Of] } & { polled: Polled[] }
  >();
  for (const record of records) {
    const series = seriesIn(record).filter(
      ([name]) => carrierOf(name) === name && isReportedBy(limits.provider, name),
    );
    const calls = series.map(([name]) => callOf(name));
    if (calls.length === 0) continue;
    const payers = payingTenants(record);
    const cost = {
      calls: calls.length / payers.length,
      units: callCost(calls, limits) / payers.length,
    };
    for (const payer of payers) {
      const need = needs.get(payer) ?? { contracts: 0, calls: 0, units: 0, polled: [] };
      need.contracts += 1 / payers.length;
      need.calls += cost.calls;
      need.units += cost.units;
      need.polled.push({ record, cost });
      needs.set(payer, need);
    }
  }
  return needs;
}

/**
 * Max-min fair shares. Each tenant, beginning with the smallest need, gets its need, but at most an
 * equal part of the remaining capacity.
 */
function shared(needed: PerTenant<number>, capacity: number): PerTenant<number> {
  const shares = new Map<string, number>();
  let left = Math.max(0, capacity);
  for (const [tenant, need] of [...needed].toSorted(([, one], [, other]) => one - other)) {
    const share = Math.min(need, left / (needed.size - shares.size));
    shares.set(tenant, share);
    left -= share;
  }
  return shares;
}

function mapped<Value, Result>(
  all: PerTenant<Value>,
  of: (value: Value, tenant: string) => Result,
): PerTenant<Result> {
  return new Map([...all].map(([tenant, value]) => [tenant, of(value, tenant)]));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
