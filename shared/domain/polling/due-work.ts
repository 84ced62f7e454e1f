import { wholeCollection } from '#shared/domain/market/contract.ts';
import { earliest, type Instant, MINUTE, type Minute } from '#shared/domain/market/instant.ts';
import { isAnsweredBy, OPERATIONS, type UpstreamCall } from '#shared/domain/market/operations.ts';
import {
  carrierOf,
  type PriceSeriesName,
  priceSeries,
} from '#shared/domain/market/price-series.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import { type ContractRecord, seriesIn } from './contract-record.ts';
import { callsPerWindow, RATE_WINDOW_SECONDS, type UpstreamLimits } from './upstream-limits.ts';

/** The price series of a contract that are polled this minute. */
export type DuePoll = {
  readonly series: readonly PriceSeriesName[];
  /** Whether the contract's cadence is due; otherwise the contract is polled out of turn. */
  readonly isTurn: boolean;
  /**
   * The earliest time at which a price series began to fail, or a watch began to wait for an
   * answer.
   */
  readonly requestedSince?: Instant;
};

/**
 * The poll of one contract in the minutes `(after, until]`. If its cadence is due, all its price
 * series are polled. Otherwise it polls price series that are due for a retry and, if a timer is
 * due, all price series without failures.
 */
export function duePoll(
  record: ContractRecord,
  { after, until }: { readonly after: Minute; readonly until: Minute },
  cadenceMinutes: number,
  now: Instant = until * MINUTE,
): DuePoll | undefined {
  const needed = seriesIn(record);
  if (needed.length > 0 && fallsDue(record, after, until, cadenceMinutes)) {
    return {
      ...{ series: askedFor(needed), isTurn: true },
      ...oldestRequest(record, now),
    };
  }
  const isRefreshRequested = requestedAt(record, now) !== undefined;
  const asked = needed.filter(([, { failures, retryAt }]) => {
    return (
      (isRefreshRequested && failures === undefined) ||
      (retryAt !== undefined && retryAt < (until + 1) * MINUTE)
    );
  });
  if (asked.length > 0) {
    return {
      ...{ series: askedFor(asked), isTurn: false },
      ...oldestRequest(record, now),
    };
  }
  return undefined;
}

/** The price series to request, each once, so that all needed price series are answered. */
function askedFor(
  needed: readonly (readonly [PriceSeriesName, unknown])[],
): readonly PriceSeriesName[] {
  return [...new Set(needed.map(([series]) => carrierOf(series)))];
}

/** The earliest due timer that waits for an answer; undefined if there is none. */
function requestedAt(record: ContractRecord, now: Instant): Instant | undefined {
  return earliest(undecidedTimers(record).filter((at) => at <= now));
}

/**
 * Timers that wait for an answer, including future ones. Omits timers that were already due at the
 * last answers: these wait for the cadence. The answers of failing price series are ignored,
 * because these series wait for their retry.
 */
function undecidedTimers(record: ContractRecord): readonly Instant[] {
  const answers = seriesIn(record).flatMap(([, { failures, answeredAt = 0 }]) =>
    failures === undefined ? [answeredAt] : [],
  );
  const answeredAt = Math.min(...answers);
  const { answer, window, refreshRequested } = record.timers;
  return [answer, window, refreshRequested].flatMap((at) =>
    at !== undefined && at >= answeredAt ? at : [],
  );
}

/**
 * Number of seconds, from the start of a pass, in which planned calls may begin. The last call may
 * take eight seconds to fail, and the call to another provider that replaces it may take as long.
 */
export const PLANNED_SECONDS = 40;

/** Number of calls that polling may plan in a minute. */
export function pollsPerMinute(limits: UpstreamLimits): number {
  return (callsPerWindow('polling', limits) * PLANNED_SECONDS) / RATE_WINDOW_SECONDS;
}

/**
 * The calls of a provider that return a price series. The planner uses the first one that the
 * provider still offers.
 */
export function callsFor(series: PriceSeriesName, provider: Provider): readonly UpstreamCall[] {
  const { operation } = priceSeries(series);
  return isAnsweredBy(provider, operation) ? OPERATIONS[operation].calls : [];
}

/** Whether a provider reports a price series at all. */
export function isReportedBy(provider: Provider, series: PriceSeriesName): boolean {
  const { carriedBy, operation } = priceSeries(series);
  return carriedBy?.includes(provider) ?? isAnsweredBy(provider, operation);
}

/** The call with which a price series is polled if the provider still offers it. */
export function callOf(series: PriceSeriesName): UpstreamCall {
  return OPERATIONS[priceSeries(series).operation].calls[0];
}

/** When one of these price series is polled next, if rate and budget allow it. */
export function nextPollAt(
  record: ContractRecord,
  series: readonly PriceSeriesName[],
  now: Instant,
  cadenceMinutes: number,
): Instant | undefined {
  const minute = Math.floor(now / MINUTE);
  const timer = earliest(undecidedTimers(record));
  const minutes = series.flatMap((name): readonly Minute[] => {
    const known = record.series[name];
    if (known === undefined) return [];
    const inTurn = lastTurn(record, minute, cadenceMinutes) + cadenceMinutes;
    const again = known.retryAt === undefined ? inTurn : Math.floor(known.retryAt / MINUTE);
    const atTimer = known.failures === undefined && timer !== undefined ? [timer / MINUTE] : [];
    return [inTurn, ...[again, ...atTimer].map((at) => Math.max(Math.ceil(at), minute + 1))];
  });
  return minutes.length === 0 ? undefined : Math.min(...minutes) * MINUTE;
}

function fallsDue(
  record: ContractRecord,
  after: Minute,
  until: Minute,
  cadenceMinutes: number,
): boolean {
  return lastTurn(record, until, cadenceMinutes) > after;
}

/**
 * The last minute at which the cadence of a contract was due. The contract's address determines the
 * minute within the cadence, so that polls are spread evenly.
 */
export function lastTurn(
  { contract }: ContractRecord,
  until: Minute,
  cadenceMinutes: number,
): Minute {
  const phase = Number.parseInt(wholeCollection(contract).slice(-6), 16) % cadenceMinutes;
  return Math.floor((until - phase) / cadenceMinutes) * cadenceMinutes + phase;
}

function oldestRequest(
  record: ContractRecord,
  now: Instant,
): { readonly requestedSince?: Instant } {
  const silent = seriesIn(record).map(([, { noDataSince }]) => noDataSince);
  const since = earliest([requestedAt(record, now), ...silent]);
  return since === undefined ? {} : { requestedSince: since };
}
