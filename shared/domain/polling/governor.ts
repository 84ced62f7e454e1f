import { earliest, HOUR, type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import {
  OPERATION_NAMES,
  OPERATIONS,
  type Operation,
  type UpstreamCall,
} from '#shared/domain/market/operations.ts';
import type { Refusal } from '#shared/domain/market/upstream.ts';
import type { CallLease } from '#shared/domain/polling/leased-call.ts';
import {
  callsPerWindow,
  RATE_WINDOW_SECONDS,
  type UpstreamLimits,
  type UpstreamUser,
} from './upstream-limits.ts';

/**
 * The one shared account of what was asked of a provider and what it said of it. Members that only
 * another version knows stay as they are.
 */
export type GovernorRecord = {
  readonly version: number;
  /** The first moment at which each user may still start a call. */
  readonly nextSlotAt: PerUser<Instant>;
  readonly spent: Spending;
  /** No lease is granted before it: the upstream said "too many". Slots given earlier may be used. */
  readonly blockedUntil?: Instant;
  /** The rate after a 429, from which it recovers with time. */
  readonly slowed?: { readonly callsPerSecond: number; readonly at: Instant };
  /**
   * Those that are open, each since the upstream denied this user something: what strangers ask for
   * stops no poll. One of a user stops all its calls, one of a call (`polling:floor`) that call.
   */
  readonly breakers: Readonly<Partial<Record<BreakerName, Breaker>>>;
  /** Calls the upstream no longer offers, each with when to try it again. */
  readonly retired: Readonly<Partial<Record<UpstreamCall, Instant>>>;
};

/** Cost units spent in a UTC day (`2026-11-21`) and month. */
export type Spending = {
  readonly day: string;
  readonly inDay: PerUser<number>;
  readonly inMonth: PerUser<number>;
  /** In a UTC hour (`2026-11-21T14`), if the provider limits that. */
  readonly hour?: string;
  readonly inHour?: PerUser<number>;
};

type PerUser<Value> = Readonly<Record<UpstreamUser, Value>>;

type BreakerName = UpstreamUser | `${UpstreamUser}:${UpstreamCall}`;

/** From `probeAt` on one call may try again. */
type Breaker = {
  readonly reason: string;
  readonly openedAt: Instant;
  readonly probeAt: Instant;
  readonly probes: number;
};

type Refused = Extract<CallLease, { readonly granted: false }>;

/** A slot that was missed is a failed call, never a later one. */
export type Lease =
  | (Extract<CallLease, { readonly granted: true }> & { readonly record: GovernorRecord })
  | Refused;

/** What the upstream denies a user: one operation, or all where none is named. */
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
/** Under this the rate never falls: one call in ten seconds still notices that all is well again. */
const SLOWEST = 0.1;

export function newGovernorRecord(): GovernorRecord {
  const spent = { day: '', inDay: NOTHING, inMonth: NOTHING };
  return { version: 0, nextSlotAt: NOTHING, spent, breakers: {}, retired: {} };
}

/**
 * How far ahead a caller that waits for its slot gets one. A poll is billed while it waits; behind
 * the interface a client waits.
 */
const HORIZON: PerUser<number> = { polling: SECOND, interface: 2 * SECOND };

/**
 * Takes one slot for each call that is wanted, given by its ways, and its cost from the budgets. A
 * call gets none where all its ways are denied; the later ones, where they lie beyond `horizon` or
 * are not to be paid for.
 *
 * Slots are absolute, and those of each user evenly spaced by its part of the rate, so that any
 * number of callers that agree on the record keep the rate together, and no user waits for another.
 */
export function lease(
  record: GovernorRecord,
  user: UpstreamUser,
  ways: readonly (readonly UpstreamCall[])[],
  limits: UpstreamLimits,
  now: Instant,
  horizon: Instant = now + HORIZON[user],
): Lease {
  const wanted = ways.map((way) => wayFor(record, user, way, now));
  const calls = wanted.flatMap((call) => call ?? []);
  const mayPay = (count: number) =>
    whyStopped(record, user, costOf(calls.slice(0, count), limits), limits, now);
  const stopped = mayPay(1);
  if (stopped !== undefined) return stopped;
  if (calls.length === 0) {
    return { granted: false, reason: 'denied', until: nextProbe(record, user, ways.flat(), now) };
  }
  const first = Math.max(record.nextSlotAt[user], now);
  if (first > horizon) return { granted: false, reason: 'busy', until: now + (first - horizon) };
  const spacing = spacingAt(record, user, limits, now);
  const slots = calls
    .map((_call, index) => first + Math.ceil(index * spacing))
    .filter((slot, index) => slot <= horizon && mayPay(index + 1) === undefined);
  const next = first + Math.ceil(slots.length * spacing);
  const made = calls.slice(0, slots.length);
  const left = slots.values();
  return {
    granted: true,
    calls: wanted.map((call) => {
      const slot = call && left.next().value;
      if (call === undefined || slot === undefined) return undefined;
      return { call, slot, probe: namesOf(user, call).some((name) => name in record.breakers) };
    }),
    record: {
      ...record,
      nextSlotAt: { ...record.nextSlotAt, [user]: next },
      spent: spend(record.spent, user, costOf(made, limits), limits, now),
      breakers: tried(
        record,
        made.flatMap((call) => namesOf(user, call)),
        now,
      ),
    },
  };
}

/**
 * The way that a user may go now: the first that is neither retired nor denied. Where all are
 * retired the last is tried again; undefined where what is left is denied.
 */
export function wayFor(
  record: GovernorRecord,
  user: UpstreamUser,
  ways: readonly UpstreamCall[],
  now: Instant,
): UpstreamCall | undefined {
  return offered(record, ways, now).find(
    (call) => (record.breakers[`${user}:${call}`]?.probeAt ?? 0) <= now,
  );
}

function offered(
  record: GovernorRecord,
  ways: readonly UpstreamCall[],
  now: Instant,
): readonly UpstreamCall[] {
  const left = ways.filter((call) => !isRetired(record, call, now));
  return left.length > 0 ? left : ways.slice(-1);
}

function nextProbe(
  { breakers }: GovernorRecord,
  user: UpstreamUser,
  calls: readonly UpstreamCall[],
  now: Instant,
): Instant {
  return earliest(calls.map((call) => breakers[`${user}:${call}`]?.probeAt)) ?? now;
}

/** What the upstream denies a user now; an operation only where no way to it is left. */
export function denialsOf(
  record: GovernorRecord,
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

/** The breakers that stop a call. */
function namesOf(user: UpstreamUser, call: UpstreamCall): readonly BreakerName[] {
  return [user, `${user}:${call}`];
}

/** The breakers, with the pause doubled of those whose try is made. */
function tried(
  { breakers }: GovernorRecord,
  names: readonly BreakerName[],
  now: Instant,
): GovernorRecord['breakers'] {
  const open = names.flatMap((name) => {
    const breaker = breakers[name];
    return breaker === undefined ? [] : [[name, probed(breaker, now)] as const];
  });
  return { ...breakers, ...Object.fromEntries(open) };
}

/** Why a user may ask nothing at all now, at this cost; undefined when it may. */
export function whyStopped(
  record: GovernorRecord,
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
 * What a user may still spend: what the others have neither spent nor reserved for themselves. So
 * the budgets hold, and each user gets its share, whatever the others do.
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

/** Percent of the budgets of the day and month that are spent, by all users together. */
export function budgetUsed(
  { spent }: GovernorRecord,
  { budgetPerDay, budgetPerMonth }: Pick<UpstreamLimits, 'budgetPerDay' | 'budgetPerMonth'>,
  now: Instant,
): { readonly inDay: number; readonly inMonth: number } {
  const { inDay, inMonth } = spentAt(spent, now);
  const percent = (used: PerUser<number>, budget: number) =>
    Math.round((100 * (used.polling + used.interface)) / budget);
  return { inDay: percent(inDay, budgetPerDay), inMonth: percent(inMonth, budgetPerMonth) };
}

/**
 * Notes what an answer to a user says about our use of the upstream; the same record comes back when
 * it says nothing new.
 *
 * `probe` reports that the call was the one try of an open breaker: only then does success count.
 */
export function learn(
  record: GovernorRecord,
  user: UpstreamUser,
  call: UpstreamCall,
  outcome: Refusal | { readonly kind: 'ok' },
  probe: boolean,
  limits: UpstreamLimits,
  now: Instant,
): GovernorRecord {
  switch (outcome.kind) {
    case 'throttled':
      return throttle(record, outcome.retryAfterSeconds, limits, now);
    case 'denied': {
      const { reason } = outcome;
      if (reason !== 'plan') return opened(record, user, reason, now);
      // A provider that names the plan of a key accepts the key.
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

/** The record with a breaker open; itself where it is open for the same reason. */
function opened(
  record: GovernorRecord,
  name: BreakerName,
  reason: string,
  now: Instant,
): GovernorRecord {
  if (record.breakers[name]?.reason === reason) return record;
  const breaker = probed({ reason, openedAt: now, probes: 0 }, now);
  return { ...record, breakers: { ...record.breakers, [name]: breaker } };
}

/** The record without breakers that a try has found to be needless; itself where it has none of them. */
function closed(record: GovernorRecord, names: readonly string[]): GovernorRecord {
  const all = Object.entries(record.breakers);
  const open = all.filter(([name]) => !names.includes(name));
  return open.length === all.length ? record : { ...record, breakers: Object.fromEntries(open) };
}

/**
 * The record with what calls have cost beyond their lease, or less than that. A lease of the day before
 * gives back nothing that this day has not spent.
 */
export function charged(
  record: GovernorRecord,
  user: UpstreamUser,
  units: number,
  limits: UpstreamLimits,
  now: Instant,
): GovernorRecord {
  return { ...record, spent: spend(record.spent, user, units, limits, now) };
}

/** Whether a call is known to be no longer offered. */
export function isRetired(record: GovernorRecord, call: UpstreamCall, now: Instant): boolean {
  return (record.retired[call] ?? 0) > now;
}

/** What has been spent in the hour, day and month that `now` falls into. */
export function spentAt(spent: Spending, now: Instant): Spending {
  const day = dayOf(now);
  const { hour, inHour, ...longer } = spent;
  const known = hour === hourOf(now) ? spent : longer;
  if (spent.day === day) return known;
  const sameMonth = spent.day.slice(0, 7) === day.slice(0, 7);
  return { ...known, day, inDay: NOTHING, inMonth: sameMonth ? spent.inMonth : NOTHING };
}

export function costOf(calls: readonly UpstreamCall[], { costs }: UpstreamLimits): number {
  return calls.reduce((sum, call) => sum + costs[call], 0);
}

/** The rate in force: halved by a 429, doubled again each minute, never above the limit. */
export function rateAt(
  { slowed }: Pick<GovernorRecord, 'slowed'>,
  { callsPerSecond }: UpstreamLimits,
  now: Instant,
): number {
  if (slowed === undefined) return callsPerSecond;
  return Math.min(callsPerSecond, slowed.callsPerSecond * 2 ** ((now - slowed.at) / MINUTE));
}

/** The time between two slots of a user. */
function spacingAt(
  record: GovernorRecord,
  user: UpstreamUser,
  limits: UpstreamLimits,
  now: Instant,
): number {
  const slowedBy = limits.callsPerSecond / rateAt(record, limits, now);
  return (RATE_WINDOW / callsPerWindow(user, limits)) * slowedBy;
}

function throttle(
  record: GovernorRecord,
  retryAfterSeconds: number | undefined,
  limits: UpstreamLimits,
  now: Instant,
): GovernorRecord {
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
export function dayOf(instant: Instant): string {
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
