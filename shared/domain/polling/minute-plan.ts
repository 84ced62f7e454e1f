import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { PriceSeriesName } from '#shared/domain/market/price-series.ts';
import type { ReservedCall } from '#shared/domain/polling/reserved-call.ts';
import type { ContractRecord } from './contract-record.ts';
import { callOf, callsFor, type DuePoll } from './due-work.ts';
import { callCost, type RateLimiterRecord, reserve } from './rate-limiter.ts';
import { payingTenants, type Shares } from './tenant-shares.ts';
import type { UpstreamLimits } from './upstream-limits.ts';

/**
 * The price series of a contract to poll together, with the planned call of each. A price series
 * may have no call.
 */
export type PlannedPoll = {
  readonly record: ContractRecord;
  readonly series: readonly PriceSeriesName[];
  readonly calls: Readonly<Partial<Record<PriceSeriesName, ReservedCall>>>;
  /** When the poll begins. */
  readonly startAt: Instant;
};

/** Polls that are due within this time (a quarter of a second) begin together. */
const STEP = SECOND / 4;
/** Maximum time that an answer may wait for a later call of the same poll. */
const LONGEST_WAIT = (3 * SECOND) / 4;

/** A due poll with the record of its contract. */
export type Poll = DuePoll & { readonly record: ContractRecord };

/**
 * The polls in the order in which they get their slots. Tenants take turns, so that none waits for
 * all polls of another. Each tenant's polls out of turn are first, sorted by the start of their
 * wait. If the tenant's share does not pay for such a poll, the poll stays due.
 */
export function inOrder(
  polls: readonly Poll[],
  shares: Shares,
  limits: UpstreamLimits,
): readonly Poll[] {
  const queues = new Map<string, Poll[]>();
  const spent = new Map<string, number>();
  for (const poll of byUrgency(polls)) {
    let payers = payingTenants(poll.record);
    if (isOutOfTurn(poll)) {
      const units = callCost(poll.series.map(callOf), limits) / payers.length;
      payers = payers.filter((payer) => (spent.get(payer) ?? 0) + units <= shares.outOfTurn(payer));
      for (const payer of payers) spent.set(payer, (spent.get(payer) ?? 0) + units);
    }
    const lengthOf = (payer: string) => queues.get(payer)?.length ?? 0;
    const [payer] = payers.toSorted((one, other) => lengthOf(one) - lengthOf(other));
    if (payer === undefined) continue;
    const queue = queues.get(payer) ?? [];
    queue.push(poll);
    queues.set(payer, queue);
  }
  const longest = Math.max(0, ...[...queues.values()].map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) =>
    [...queues.values()].flatMap((queue) => queue[turn] ?? []),
  ).flat();
}

/**
 * Keeps polls until `calls` calls are planned; after that, omits polls out of turn. The omitted
 * polls stay due.
 */
export function upTo(calls: number, polls: readonly Poll[]): readonly Poll[] {
  let before = 0;
  return polls.filter((poll) => {
    const isKept = before < calls || !isOutOfTurn(poll);
    if (isKept) before += poll.series.length;
    return isKept;
  });
}

function isOutOfTurn({ isTurn, requestedSince }: Poll): boolean {
  return !isTurn && requestedSince !== undefined;
}

function byUrgency(polls: readonly Poll[]): readonly Poll[] {
  const since = ({ requestedSince = Number.MAX_SAFE_INTEGER }: Poll) => requestedSince;
  return polls.toSorted((one, other) => since(one) - since(other));
}

/**
 * Gives each price series a slot before `until`, in the order of the polls. If the slots of a
 * contract are far apart, the contract is polled in several steps. The caller must write the
 * returned record of the rate limiter before the first call.
 */
export function planMinute(
  rateLimiter: RateLimiterRecord,
  polls: readonly {
    readonly record: ContractRecord;
    readonly series: readonly PriceSeriesName[];
  }[],
  limits: UpstreamLimits,
  { now, until }: { readonly now: Instant; readonly until: Instant },
): { readonly rateLimiter: RateLimiterRecord; readonly polls: readonly PlannedPoll[] } {
  let next = rateLimiter;
  const planned = polls.flatMap(({ record, series }) => {
    const ways = series.map((name) => callsFor(name, limits.provider));
    const reserved = reserve(next, 'polling', ways, limits, now, until);
    if (!reserved.granted) return inPolls(record, series, [], now);
    next = reserved.record;
    return inPolls(record, series, reserved.calls, now);
  });
  return {
    rateLimiter: next,
    polls: planned.toSorted((one, other) => one.startAt - other.startAt),
  };
}

function inPolls(
  record: ContractRecord,
  series: readonly PriceSeriesName[],
  calls: readonly (ReservedCall | undefined)[],
  now: Instant,
): readonly PlannedPoll[] {
  const planned: PlannedPoll[] = [];
  let first: Instant | undefined;
  for (const [index, name] of series.entries()) {
    const call = calls[index];
    const callAt = call?.callAt ?? first ?? now;
    const last = planned.at(-1);
    if (last === undefined || (first !== undefined && callAt - first > LONGEST_WAIT)) {
      first = callAt;
      const startAt = callAt - ((callAt - now) % STEP);
      planned.push({ record, series: [name], calls: call ? { [name]: call } : {}, startAt });
    } else {
      const withCall = call ? { ...last.calls, [name]: call } : last.calls;
      planned.splice(-1, 1, { ...last, series: [...last.series, name], calls: withCall });
    }
  }
  return planned;
}
