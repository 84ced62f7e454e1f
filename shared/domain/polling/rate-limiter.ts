import { earliest, HOUR, type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import {
  OPERATION_NAMES,
  OPERATIONS,
  type Operation,
  type UpstreamCall,
} from '#shared/domain/market/operations.ts';
import type { Refusal } from '#shared/domain/market/upstream.ts';
import type { CallReservation } from '#shared/domain/polling/reserved-call.ts';
import {
  callsPerWindow,
  RATE_WINDOW_SECONDS,
  type UpstreamLimits,
  type UpstreamUser,
} from './upstream-limits.ts';

/**
 * The rate limiter of a provider, shared by all callers: slots, spending and denials. Members that
 * only another version defines are kept.
 */
export type RateLimiterRecord = {
  readonly version: number;
  /** The first free slot of each user. */
  readonly nextCallAt: PerUser<Instant>;
  readonly spent: Spending;
  /**
   * No call is reserved before this time, because the upstream responded with 429. Reservations
   * that were granted earlier may still be used.
   */
  readonly blockedUntil?: Instant;
  /**
   * The rate to which the last 429 reduced the calls, and the time of that 429. The rate recovers
   * with time.
   */
  readonly slowed?: { readonly callsPerSecond: number; readonly at: Instant };
  /**
   * Open circuit breakers. The breaker of a user stops all calls of the user; the breaker of a call
   * (`polling:floor`) stops only this call. Each user has its own breakers, so that a denied
   * request of a client does not stop polls.
   */
  readonly breakers: Readonly<Partial<Record<BreakerName, Breaker>>>;
  /** Calls that the upstream no longer offers, each with the time of its next try. */
  readonly retired: Readonly<Partial<Record<UpstreamCall, Instant>>>;
};

/** Cost units spent in a UTC day (`2026-11-21`) and month. */
export type Spending = {
  readonly day: string;
  readonly inDay: PerUser<number>;
  readonly inMonth: PerUser<number>;
  /** A UTC hour (`2026-11-21T14`), if the provider has an hourly limit. */
  readonly hour?: string;
  readonly inHour?: PerUser<number>;
};

type PerUser<Value> = Readonly<Record<UpstreamUser, Value>>;

type BreakerName = UpstreamUser | `${UpstreamUser}:${UpstreamCall}`;

/** From `probeAt` on, a single call is allowed as a probe. */
type Breaker = {
  readonly reason: string;
  readonly openedAt: Instant;
  readonly probeAt: Instant;
  readonly probes: number;
};

type Refused = Extract<CallReservation, { readonly granted: false }>;

/** The result of a reservation. A call that misses its slot fails; it is not made later. */
export type Reservation =
  | (Extract<CallReservation, { readonly granted: true }> & { readonly record: RateLimiterRecord })
  | Refused;

/** The upstream denies a user one operation, or all operations if `operation` is undefined. */
export type Denial = {
  readonly operation: Operation | undefined;
  readonly reason: string;
  readonly since: Instant;
  readonly probeAt: Instant;
};

const RATE_WINDOW = RATE_WINDOW_SECONDS * SECOND;
const NOTHING: PerUser<number> = { polling: 0, interface: 0 };
const RETIRED_FOR = 6 * 60 * MINUTE;
const LONGEST_PROBE_PAUSE_MINUTES = 60;
/** Minimum rate, in calls a second: one call in ten seconds still detects a recovery. */
const SLOWEST = 0.1;

export function newRateLimiterRecord(): RateLimiterRecord {
  const spent = { day: '', inDay: NOTHING, inMonth: NOTHING };
  return { version: 0, nextCallAt: NOTHING, spent, breakers: {}, retired: {} };
}

/**
 * Maximum time that a caller waits for its slot. A poll is billed while it waits; a client of the
 * interface waits for its response.
 */
const HORIZON: PerUser<number> = { polling: SECOND, interface: 2 * SECOND };

/**
 * Reserves one slot for each requested call and charges its cost to the budgets. Each entry of
 * `ways` lists the alternatives for one call. A call gets no slot if all its alternatives are
 * denied. A call after the first also gets no slot if its slot would be after `horizon`, or if the
 * budgets do not cover it.
 *
 * Slots are absolute times. The slots of each user are evenly spaced according to its part of the
 * rate. So all callers that share the record together keep within the rate, and no user waits for
 * the other.
 */
export function reserve(
  record: RateLimiterRecord,
  user: UpstreamUser,
  ways: readonly (readonly UpstreamCall[])[],
  limits: UpstreamLimits,
  now: Instant,
  horizon: Instant = now + HORIZON[user],
): Reservation {
  const wanted = ways.map((way) => wayFor(record, user, way, now));
  const calls = wanted.flatMap((call) => call ?? []);
  const mayPay = (count: number) =>
    whyStopped(record, user, callCost(calls.slice(0, count), limits), limits, now);
  const stopped = mayPay(1);
  if (stopped !== undefined) return stopped;
  if (calls.length === 0) {
    return { granted: false, reason: 'denied', until: nextProbe(record, user, ways.flat(), now) };
  }
  const first = Math.max(record.nextCallAt[user], now);
  if (first > horizon) return { granted: false, reason: 'busy', until: now + (first - horizon) };
  const spacing = spacingAt(record, user, limits, now);
  const times = calls
    .map((_call, index) => first + Math.ceil(index * spacing))
    .filter((callAt, index) => callAt <= horizon && mayPay(index + 1) === undefined);
  const next = first + Math.ceil(times.length * spacing);
  const made = calls.slice(0, times.length);
  const left = times.values();
  return {
    granted: true,
    calls: wanted.map((call) => {
      const callAt = call && left.next().value;
      if (call === undefined || callAt === undefined) return undefined;
      return { call, callAt, probe: namesOf(user, call).some((name) => name in record.breakers) };
    }),
    record: {
      ...record,
      nextCallAt: { ...record.nextCallAt, [user]: next },
      spent: spend(record.spent, user, callCost(made, limits), limits, now),
      breakers: tried(
        record,
        made.flatMap((call) => namesOf(user, call)),
        now,
      ),
    },
  };
}

/**
 * The alternative that a user may call now: the first that is neither retired nor denied. If all
 * are retired, the last one is tried again. Undefined if all alternatives that are not retired are
 * denied.
 */
export function wayFor(
  record: RateLimiterRecord,
  user: UpstreamUser,
  ways: readonly UpstreamCall[],
  now: Instant,
): UpstreamCall | undefined {
  return offered(record, ways, now).find(
    (call) => (record.breakers[`${user}:${call}`]?.probeAt ?? 0) <= now,
  );
}

function offered(
  record: RateLimiterRecord,
  ways: readonly UpstreamCall[],
  now: Instant,
): readonly UpstreamCall[] {
  const left = ways.filter((call) => !isRetired(record, call, now));
  return left.length > 0 ? left : ways.slice(-1);
}

function nextProbe(
  { breakers }: RateLimiterRecord,
  user: UpstreamUser,
  calls: readonly UpstreamCall[],
  now: Instant,
): Instant {
  return earliest(calls.map((call) => breakers[`${user}:${call}`]?.probeAt)) ?? now;
}

/** The present denials of a user. An operation is denied only if all its calls are. */
export function denialsOf(
  record: RateLimiterRecord,
  user: UpstreamUser,
  now: Instant,
): readonly Denial[] {
  const denial = (operation: Operation | undefined, breaker: Breaker | undefined) => {
    if (breaker === undefined) return [];
    const { reason, openedAt, probeAt } = breaker;
    return [{ operation, reason, since: openedAt, probeAt }];
  };
  const ofOperations = OPERATION_NAMES.flatMap((operation) => {
    const breakers = offered(record, OPERATIONS[operation].calls, now).map(
      (call) => record.breakers[`${user}:${call}`],
    );
    return breakers.includes(undefined) ? [] : denial(operation, breakers[0]);
  });
  return [...denial(undefined, record.breakers[user]), ...ofOperations];
}

/** The breakers that can stop a call. */
function namesOf(user: UpstreamUser, call: UpstreamCall): readonly BreakerName[] {
  return [user, `${user}:${call}`];
}

/** The breakers after a probe of `names` was granted: the pause of the open ones is doubled. */
function tried(
  { breakers }: RateLimiterRecord,
  names: readonly BreakerName[],
  now: Instant,
): RateLimiterRecord['breakers'] {
  const open = names.flatMap((name) => {
    const breaker = breakers[name];
    return breaker === undefined ? [] : [[name, probed(breaker, now)] as const];
  });
  return { ...breakers, ...Object.fromEntries(open) };
}

/** Why a user may not make calls of this cost now; undefined if it may. */
export function whyStopped(
  record: RateLimiterRecord,
  user: UpstreamUser,
  cost: number,
  limits: UpstreamLimits,
  now: Instant,
): Refused | undefined {
  const breaker = record.breakers[user];
  if (breaker !== undefined && breaker.probeAt > now) {
    return { granted: false, reason: 'denied', until: breaker.probeAt };
  }
  if (record.blockedUntil !== undefined && record.blockedUntil > now) {
    return { granted: false, reason: 'blocked', until: record.blockedUntil };
  }
  const left = leftAt(record.spent, user, limits, now);
  if (cost > left.inMonth) {
    return { granted: false, reason: 'budget', until: startOfNextMonth(now) };
  }
  if (cost > left.inDay) {
    return { granted: false, reason: 'budget', until: startOfNextDay(now) };
  }
  if (cost > left.inHour) {
    return { granted: false, reason: 'budget', until: startOfNextHour(now) };
  }
  return undefined;
}

/**
 * Units that a user may still spend. The units that the other user has spent, or that are reserved
 * for it, are subtracted. So the budgets are kept, and each user gets its share.
 */
export function leftAt(
  spent: Spending,
  user: UpstreamUser,
  { budgetPerHour, budgetPerDay, budgetPerMonth, shares }: UpstreamLimits,
  now: Instant,
): { readonly inHour: number; readonly inDay: number; readonly inMonth: number } {
  const { inHour = NOTHING, inDay, inMonth } = spentAt(spent, now);
  const other = user === 'polling' ? 'interface' : 'polling';
  const left = (budget: number, used: PerUser<number>) =>
    budget - Math.max(used[other], Math.floor((budget * shares[other]) / 100)) - used[user];
  return {
    inHour: budgetPerHour === undefined ? Number.POSITIVE_INFINITY : left(budgetPerHour, inHour),
    inDay: left(budgetPerDay, inDay),
    inMonth: left(budgetPerMonth, inMonth),
  };
}

/** The percentages of the daily and the monthly budget that all users together have spent. */
export function budgetUsed(
  { spent }: RateLimiterRecord,
  { budgetPerDay, budgetPerMonth }: Pick<UpstreamLimits, 'budgetPerDay' | 'budgetPerMonth'>,
  now: Instant,
): { readonly inDay: number; readonly inMonth: number } {
  const { inDay, inMonth } = spentAt(spent, now);
  const percent = (used: PerUser<number>, budget: number) =>
    Math.round((100 * (used.polling + used.interface)) / budget);
  return { inDay: percent(inDay, budgetPerDay), inMonth: percent(inMonth, budgetPerMonth) };
}

/**
 * Updates rate, breakers and retired calls after an answer. Returns the same record if the answer
 * changes none of them.
 *
 * `probe` is true if the call was the single call that an open breaker allows. Only the success of
 * a probe closes a breaker.
 */
export function learn(
  record: RateLimiterRecord,
  user: UpstreamUser,
  call: UpstreamCall,
  outcome: Refusal | { readonly kind: 'ok' },
  probe: boolean,
  limits: UpstreamLimits,
  now: Instant,
): RateLimiterRecord {
  switch (outcome.kind) {
    case 'throttled':
      return throttle(record, outcome.retryAfterSeconds, limits, now);
    case 'denied': {
      const { reason } = outcome;
      if (reason !== 'plan') return opened(record, user, reason, now);
      // A provider that rejects a call because of the key's plan has accepted the key, so such a
      // probe closes the user's breaker.
      const served = probe ? closed(record, [user]) : record;
      return opened(served, `${user}:${call}`, reason, now);
    }
    case 'unsupported': {
      const { reason } = outcome;
      if (reason === 'chain') return record;
      return reason === 'retired'
        ? { ...record, retired: { ...record.retired, [call]: now + RETIRED_FOR } }
        : probe
          ? closed(record, namesOf(user, call))
          : record;
    }
    case 'ok':
    case 'empty':
    case 'not_ready':
    case 'not_found':
      return probe ? closed(record, namesOf(user, call)) : record;
    case 'failed':
      return record;
  }
}

/** Opens a breaker. Returns the same record if it is already open for this reason. */
function opened(
  record: RateLimiterRecord,
  name: BreakerName,
  reason: string,
  now: Instant,
): RateLimiterRecord {
  if (record.breakers[name]?.reason === reason) return record;
  const breaker = probed({ reason, openedAt: now, probes: 0 }, now);
  return { ...record, breakers: { ...record.breakers, [name]: breaker } };
}

/** Closes breakers after a successful probe. Returns the same record if none of them is open. */
function closed(record: RateLimiterRecord, names: readonly string[]): RateLimiterRecord {
  const all = Object.entries(record.breakers);
  const open = all.filter(([name]) => !names.includes(name));
  return open.length === all.length ? record : { ...record, breakers: Object.fromEntries(open) };
}

/**
 * Charges the units by which calls cost more than was reserved; negative units are a refund. If the
 * units were reserved the day before, the refund is at most the units spent today.
 */
export function charged(
  record: RateLimiterRecord,
  user: UpstreamUser,
  units: number,
  limits: UpstreamLimits,
  now: Instant,
): RateLimiterRecord {
  return { ...record, spent: spend(record.spent, user, units, limits, now) };
}

/** Whether the upstream no longer offers a call. */
export function isRetired(record: RateLimiterRecord, call: UpstreamCall, now: Instant): boolean {
  return (record.retired[call] ?? 0) > now;
}

/** Units spent in the hour, day and month of `now`. */
export function spentAt(spent: Spending, now: Instant): Spending {
  const day = utcDay(now);
  const { hour, inHour, ...longer } = spent;
  const known = hour === hourOf(now) ? spent : longer;
  if (spent.day === day) return known;
  const sameMonth = spent.day.slice(0, 7) === day.slice(0, 7);
  return { ...known, day, inDay: NOTHING, inMonth: sameMonth ? spent.inMonth : NOTHING };
}

export function callCost(calls: readonly UpstreamCall[], { costs }: UpstreamLimits): number {
  return calls.reduce((sum, call) => sum + costs[call], 0);
}

/** The present rate: a 429 halves it, then it doubles each minute up to the limit. */
export function rateAt(
  { slowed }: Pick<RateLimiterRecord, 'slowed'>,
  { callsPerSecond }: UpstreamLimits,
  now: Instant,
): number {
  if (slowed === undefined) return callsPerSecond;
  return Math.min(callsPerSecond, slowed.callsPerSecond * 2 ** ((now - slowed.at) / MINUTE));
}

/** The time between two slots of a user. */
function spacingAt(
  record: RateLimiterRecord,
  user: UpstreamUser,
  limits: UpstreamLimits,
  now: Instant,
): number {
  const slowedBy = limits.callsPerSecond / rateAt(record, limits, now);
  return (RATE_WINDOW / callsPerWindow(user, limits)) * slowedBy;
}

function throttle(
  record: RateLimiterRecord,
  retryAfterSeconds: number | undefined,
  limits: UpstreamLimits,
  now: Instant,
): RateLimiterRecord {
  const pause = Math.max((retryAfterSeconds ?? 0) * SECOND, RATE_WINDOW);
  const blockedUntil = Math.max(record.blockedUntil ?? 0, now + pause);
  const sameBurst = record.slowed !== undefined && now - record.slowed.at < RATE_WINDOW;
  if (sameBurst) return { ...record, blockedUntil };
  const callsPerSecond = Math.max(SLOWEST, rateAt(record, limits, now) / 2);
  return { ...record, blockedUntil, slowed: { callsPerSecond, at: now } };
}

function probed(breaker: Omit<Breaker, 'probeAt'>, now: Instant): Breaker {
  const pauseMinutes = Math.min(2 ** breaker.probes, LONGEST_PROBE_PAUSE_MINUTES);
  return {
    ...breaker,
    probes: breaker.probes + 1,
    probeAt: now + pauseMinutes * MINUTE,
  };
}

function spend(
  spent: Spending,
  user: UpstreamUser,
  cost: number,
  { budgetPerHour }: UpstreamLimits,
  now: Instant,
): Spending {
  const { inHour = NOTHING, inDay, inMonth, ...known } = spentAt(spent, now);
  const added = (used: PerUser<number>) => ({ ...used, [user]: Math.max(0, used[user] + cost) });
  return {
    ...known,
    ...(budgetPerHour === undefined ? {} : { hour: hourOf(now), inHour: added(inHour) }),
    inDay: added(inDay),
    inMonth: added(inMonth),
  };
}

/** The UTC day of an instant, `2026-11-21`. */
export function utcDay(instant: Instant): string {
  return new Date(instant).toISOString().slice(0, 10);
}

/** The UTC hour of an instant, `2026-11-21T14`. */
function hourOf(instant: Instant): string {
  return new Date(instant).toISOString().slice(0, 13);
}

export function startOfNextHour(now: Instant): Instant {
  return Math.floor(now / HOUR + 1) * HOUR;
}

export function startOfNextDay(now: Instant): Instant {
  return startOfDay(now) + 24 * 60 * MINUTE;
}

export function startOfNextMonth(now: Instant): Instant {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

function startOfDay(now: Instant): Instant {
  return Math.floor(now / (24 * 60 * MINUTE)) * 24 * 60 * MINUTE;
}
