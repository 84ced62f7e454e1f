import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { Part } from '#shared/domain/market/price-series.ts';
import type { LeasedCall } from '#shared/domain/polling/leased-call.ts';
import type { ContractRecord } from './contract-record.ts';
import { callOf, type DuePoll, waysOf } from './due-work.ts';
import { costOf, type GovernorRecord, lease } from './governor.ts';
import { payersOf, type Shares } from './tenant-shares.ts';
import type { UpstreamLimits } from './upstream-limits.ts';

/** Parts of a contract that are to be asked, each by the call that is planned for it, if there is one. */
export type PlannedPoll = {
  readonly record: ContractRecord;
  readonly parts: readonly Part[];
  readonly calls: Readonly<Partial<Record<Part, LeasedCall>>>;
  /** When it begins. */
  readonly startAt: Instant;
};

/** Milliseconds: polls that are due within these begin together. */
const STEP = SECOND / 4;
/** Milliseconds that an answer may wait for a later call of the same poll. */
const LONGEST_WAIT = (3 * SECOND) / 4;

/** What is due of a contract. */
export type Poll = DuePoll & { readonly record: ContractRecord };

/**
 * The polls in the order in which they get their slots. Tenants take turns, so that none waits for
 * all of another's. Wanted contracts of a tenant come first, the longest wanted before the others,
 * as far as its share pays for polls out of turn; the rest stays wanted.
 */
export function inOrder(
  polls: readonly Poll[],
  shares: Shares,
  limits: UpstreamLimits,
): readonly Poll[] {
  const queues = new Map<string, Poll[]>();
  const spent = new Map<string, number>();
  for (const poll of byUrgency(polls)) {
    let payers = payersOf(poll.record);
    if (isOutOfTurn(poll)) {
      const units = costOf(poll.parts.map(callOf), limits) / payers.length;
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

/** Without what is polled out of turn beyond so many calls: it stays wanted. */
export function upTo(calls: number, polls: readonly Poll[]): readonly Poll[] {
  let before = 0;
  return polls.filter((poll) => {
    const isKept = before < calls || !isOutOfTurn(poll);
    if (isKept) before += poll.parts.length;
    return isKept;
  });
}

function isOutOfTurn({ isTurn, wantedSince }: Poll): boolean {
  return !isTurn && wantedSince !== undefined;
}

function byUrgency(polls: readonly Poll[]): readonly Poll[] {
  const since = ({ wantedSince = Number.MAX_SAFE_INTEGER }: Poll) => wantedSince;
  return polls.toSorted((one, other) => since(one) - since(other));
}

/**
 * Gives each part of the polls a slot before `until`, in their order. A contract whose slots are
 * further apart is polled several times. The record must be written before the first call.
 */
export function planMinute(
  governor: GovernorRecord,
  polls: readonly { readonly record: ContractRecord; readonly parts: readonly Part[] }[],
  limits: UpstreamLimits,
  { now, until }: { readonly now: Instant; readonly until: Instant },
): { readonly governor: GovernorRecord; readonly polls: readonly PlannedPoll[] } {
  let next = governor;
  const planned = polls.flatMap(({ record, parts }) => {
    const ways = parts.map((part) => waysOf(part, limits.provider));
    const leased = lease(next, 'polling', ways, limits, now, until);
    if (!leased.granted) return inPolls(record, parts, [], now);
    next = leased.record;
    return inPolls(record, parts, leased.calls, now);
  });
  return {
    governor: next,
    polls: planned.toSorted((one, other) => one.startAt - other.startAt),
  };
}

function inPolls(
  record: ContractRecord,
  parts: readonly Part[],
  calls: readonly (LeasedCall | undefined)[],
  now: Instant,
): readonly PlannedPoll[] {
  const planned: PlannedPoll[] = [];
  let first: Instant | undefined;
  for (const [index, part] of parts.entries()) {
    const call = calls[index];
    const slot = call?.slot ?? first ?? now;
    const last = planned.at(-1);
    if (last === undefined || (first !== undefined && slot - first > LONGEST_WAIT)) {
      first = slot;
      const startAt = slot - ((slot - now) % STEP);
      planned.push({ record, parts: [part], calls: call ? { [part]: call } : {}, startAt });
    } else {
      const withCall = call ? { ...last.calls, [part]: call } : last.calls;
      planned.splice(-1, 1, { ...last, parts: [...last.parts, part], calls: withCall });
    }
  }
  return planned;
}
