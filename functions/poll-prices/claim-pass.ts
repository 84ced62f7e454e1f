import { CANARY, CANARY_MINUTES } from '#shared/domain/market/canary.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { isDerived } from '#shared/domain/market/derived-key.ts';
import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { PriceSeriesName } from '#shared/domain/market/price-series.ts';
import {
  type ContractRecord,
  isUnsupportedBy,
  returnedWith,
} from '#shared/domain/polling/contract-record.ts';
import {
  callOf,
  callsFor,
  duePoll,
  isReportedBy,
  PLANNED_SECONDS,
  pollsPerMinute,
} from '#shared/domain/polling/due-work.ts';
import {
  inOrder,
  type PlannedPoll,
  type Poll,
  planMinute,
  upTo,
} from '#shared/domain/polling/minute-plan.ts';
import { type Charge, isClaimed, type PollProgress } from '#shared/domain/polling/poll-progress.ts';
import {
  callCost,
  type RateLimiterRecord,
  wayFor,
  whyStopped,
} from '#shared/domain/polling/rate-limiter.ts';
import { NOTHING_SPENT, shareOut, withSpent } from '#shared/domain/polling/tenant-shares.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import type { PollPricesPorts, PriceSource } from './ports.ts';

/**
 * Plans the calls of a pass and claims them. The claim and the charge for the calls are written
 * together, before the first call. While another pass is running, nothing is planned or claimed.
 *
 * The calls are planned for the first provider, or for a fallback provider while the first accepts
 * no calls.
 */
export async function claimPass(
  ports: PollPricesPorts,
  records: readonly ContractRecord[],
  now: Instant,
) {
  const { cadenceMinutes } = ports;
  const progress = await ports.getProgress();
  const { spending: before = NOTHING_SPENT } = progress;
  const first = await accountOf(ports, now);
  const substitute = first.stopped && (await substituteOf(ports, now));
  const { source, rateLimiter, stopped } = substitute ?? first;
  const { limits } = source;
  const priced = records.filter(({ contract }) => !isPolledWithoutCalls(contract));
  const lasting = shareOut(priced, before, first.rateLimiter, ports.limits, cadenceMinutes, now);
  // The units that tenants have spent belong to the first provider, so they do not reduce the
  // shares of a fallback provider.
  const shares =
    substitute === undefined
      ? lasting
      : shareOut(priced, NOTHING_SPENT, rateLimiter, limits, cadenceMinutes, now);
  const cadenceOf = (record: ContractRecord) => {
    if (isDerived(record.contract)) return DERIVED_MINUTES;
    return record.contract === CANARY
      ? Math.min(cadenceMinutes, CANARY_MINUTES)
      : shares.cadenceOf(record);
  };
  const fallback = substitute?.source.provider;
  const known = {
    ...{ source, fallback, stopped: first.stopped, rateLimiter: first.rateLimiter },
    ...{ cadences: lasting.cadences, cadencesNow: shares.cadences, cadenceOf },
  };
  if (isClaimed(progress, now)) return { ...known, claimed: undefined, polls: [] };

  const ofAll = dueIn(progress, records, cadenceOf, now);
  const mayPlan = (record: ContractRecord, series: PriceSeriesName) =>
    !(substitute !== undefined && isUnsupportedBy(record, limits.provider, now)) &&
    wayFor(rateLimiter, 'polling', callsFor(series, limits.provider), now) !== undefined &&
    whyStopped(rateLimiter, 'polling', callCost([callOf(series)], limits), limits, now) ===
      undefined;
  const mayAsk = (record: ContractRecord, series: PriceSeriesName) =>
    mayPlan(record, series) ||
    // If the planned provider denies a price series, the poll requests it from other providers.
    (stopped === undefined &&
      ports.others.some(
        ({ provider }) => provider !== limits.provider && isReportedBy(provider, series),
      ));
  const most = stopped === undefined ? pollsPerMinute(limits) : Number.POSITIVE_INFINITY;
  const due = ofAll.flatMap((poll): Poll[] => {
    const { record } = poll;
    if (isPolledWithoutCalls(record.contract)) return [];
    // If no provider can be called, a price series is polled once without a call, which records
    // the start of the failure.
    const series = poll.series.filter(
      (name) => mayAsk(record, name) || hasUnnotedSilence(record, name),
    );
    return series.length > 0 ? [{ ...poll, series }] : [];
  });
  const ordered = inOrder(due, shares, limits);
  const until = now + PLANNED_SECONDS * SECOND;
  const planned = planMinute(rateLimiter, upTo(most, ordered), limits, { now: ports.now(), until });
  const polls = [...pollsWithoutCalls(ofAll, now), ...planned.polls];
  const paid = substitute === undefined ? planned.polls : [];
  const spending = paid.reduce((sum, { record, calls }) => {
    const made = Object.values(calls).flatMap((reserved) => reserved?.call ?? []);
    return withSpent(sum, record, callCost(made, limits), now);
  }, before);
  // While all providers are stopped, the contracts stay due.
  const claim = stopped === undefined && {
    claim: { until: Math.floor(now / MINUTE), expiresAt: ports.now() + ports.remainingTime() },
  };
  const next = { ...progress, claim: undefined, ...claim, spending, fallback };
  const charge: Charge | undefined =
    planned.rateLimiter === rateLimiter
      ? undefined
      : { provider: limits.provider, rateLimiter: planned.rateLimiter };
  // A pass without polls writes only its end.
  if (polls.length === 0) return { ...known, claimed: next, polls };
  return { ...known, claimed: await ports.putProgress(next, charge), polls };
}

/**
 * The contracts that became due since the last finished pass, or whose polls failed in it.
 */
function dueIn(
  { polledUntil: after, again }: PollProgress,
  records: readonly ContractRecord[],
  cadenceOf: (record: ContractRecord) => number,
  now: Instant,
): readonly Poll[] {
  const until = Math.floor(now / MINUTE);
  const repeated = new Set(again);
  return records.flatMap((record) => {
    const cadence = cadenceOf(record);
    const from = repeated.has(record.contract) ? until - cadence : after;
    const due = duePoll(record, { after: from, until }, cadence, now);
    return due === undefined ? [] : [{ ...due, record }];
  });
}

/** Whether a series of the request has no recorded start of its failure. */
function hasUnnotedSilence(record: ContractRecord, asked: PriceSeriesName): boolean {
  return returnedWith(record, asked).some(([, { noDataSince }]) => noDataSince === undefined);
}

/**
 * The canary has a fixed floor, and derived contracts use known floors, so no budget limits their
 * polls.
 */
function isPolledWithoutCalls(contract: ContractKey): boolean {
  return contract === CANARY || isDerived(contract);
}

function pollsWithoutCalls(due: readonly Poll[], now: Instant): readonly PlannedPoll[] {
  return due.flatMap(({ record, series }) =>
    isPolledWithoutCalls(record.contract) ? [{ record, series, calls: {}, startAt: now }] : [],
  );
}

/** Cadence of derived contracts in minutes: each pass may update one of their floors. */
const DERIVED_MINUTES = 1;

/**
 * A provider with its rate limiter. `stopped` is the reason why it accepts no calls; undefined if
 * it accepts them.
 */
type Account = {
  readonly source: PriceSource;
  readonly rateLimiter: RateLimiterRecord;
  readonly stopped: ReturnType<typeof whyStopped>;
};

async function accountOf(source: PriceSource, now: Instant): Promise<Account> {
  const { limits, getRateLimiter } = source;
  const rateLimiter = await getRateLimiter();
  const stopped = whyStopped(rateLimiter, 'polling', cheapest(limits), limits, now);
  return { source, rateLimiter, stopped };
}

/** The first other provider that accepts calls. Providers without floors come last. */
async function substituteOf(
  { others }: PollPricesPorts,
  now: Instant,
): Promise<Account | undefined> {
  const hasFloors = ({ provider }: PriceSource) => isReportedBy(provider, 'floor');
  const withFloors = others.filter(hasFloors);
  for (const other of [...withFloors, ...others.filter((one) => !hasFloors(one))]) {
    const account = await accountOf(other, now);
    if (account.stopped === undefined) return account;
  }
  return undefined;
}

/** The cost of the cheapest call. If less than this is left of the budget, no polls are made. */
function cheapest({ costs }: UpstreamLimits): number {
  return Math.min(...Object.values(costs));
}
