import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { HeldTokens } from '#shared/domain/market/list-value.ts';
import type { Point } from '#shared/domain/market/point.ts';
import {
  carrierOf,
  PRICE_SERIES_NAMES,
  type PriceSeriesName,
} from '#shared/domain/market/price-series.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { Skipped } from '#shared/domain/market/skipped.ts';
import type { Refusal } from '#shared/domain/market/upstream.ts';
import type { ThresholdIndexName } from '#shared/domain/rules/threshold-index.ts';
import {
  newestIn,
  newestReading,
  newTimeline,
  type Timeline,
} from '#shared/domain/timeline/timeline.ts';
import type { BackfillState } from './backfill-state.ts';

type OutcomeKind = 'ok' | Refusal['kind'] | 'disputed' | 'not_derived';

/** The state of one price series of a contract. */
export type SeriesRecord = {
  /**
   * Outcome of the last call whose answer changed the record; absent before the first such call.
   */
  readonly outcome?: OutcomeKind;
  /** The reason for the missing value, for the contract's health. */
  readonly reason?: string;
  /** When the outcome or its reason last changed. */
  readonly since?: Instant;
  /** Time of the first failure since the last usable answer; absent while answers are usable. */
  readonly noDataSince?: Instant;
  /** When the last `ok` or `empty` answer was requested. Polls without news do not update it. */
  readonly answeredAt?: Instant;
  /** The other provider that confirmed the newest floor, and the time of the request to it. */
  readonly confirmed?: { readonly by: Provider; readonly at: Instant };
  /** Start of the contradiction between two providers; absent once they agree. */
  readonly disputedSince?: Instant;
  /** Number of consecutive answers without a value, up to a limit. */
  readonly failures?: number;
  /**
   * Number of consecutive polls whose floor no second provider confirmed, up to a limit. Counted
   * only if a rule with `minSources` needs a confirmation.
   */
  readonly timesAlone?: number;
  /** Number of skipped records in recent answers by reason, and the start of the count. */
  readonly skipped?: { readonly at: Instant; readonly records: Skipped };
  /**
   * When the price series is requested again before its cadence is due, because it failed or lacks
   * a second source.
   */
  readonly retryAt?: Instant;
};

/** The state of a contract: one small item, which the planner reads each minute. */
export type ContractRecord = {
  readonly contract: ContractKey;
  readonly version: number;
  /** The price series that rules need. */
  readonly series: Readonly<Partial<Record<PriceSeriesName, SeriesRecord>>>;
  /** The tenants that watch the contract and pay for its polls, sorted; at most `MOST_TENANTS`. */
  readonly tenants: readonly string[];
  /**
   * The threshold indexes in which watches of the contract may wait. An evaluation queries no other
   * indexes.
   */
  readonly thresholdIndexes: readonly ThresholdIndexName[];
  /**
   * Progress of the search for unneeded threshold indexes: the last checked watch, and the indexes
   * that no checked watch needs.
   */
  readonly sweep?: { readonly after: string; readonly unseen: readonly ThresholdIndexName[] };
  /** Only for a list value: the held tokens. */
  readonly held?: readonly HeldTokens[];
  readonly past?: BackfillState;
  readonly timeline: Timeline;
  readonly timers: Timers;
  /**
   * Other providers that do not have the contract, each with the time until which it is not called.
   */
  readonly unsupportedBy?: Readonly<Partial<Record<Provider, Instant>>>;
};

/**
 * The event that a timer waits for: an answer that was requested at this time or later (`answer`),
 * any answer, because it may move a window (`window`), or only the clock (`clock`).
 */
export const WAKE_KINDS = ['answer', 'window', 'clock'] as const;
export type WakeKind = (typeof WAKE_KINDS)[number];

/**
 * When watches of a contract must be evaluated even if nothing new is reported: the earliest timer
 * of each kind.
 */
export type Timers = Readonly<Partial<Record<WakeKind, Instant>>> & {
  /**
   * When the newest watch began or restarted. This watch waits for an answer that is requested
   * later.
   */
  readonly refreshRequested?: Instant;
};

/** A contract that was never polled. */
export function newContractRecord(contract: ContractKey, now: Instant): ContractRecord {
  return {
    contract,
    version: 0,
    series: {},
    tenants: [],
    thresholdIndexes: [],
    timeline: newTimeline(now),
    timers: {},
  };
}

/**
 * Maximum number of recorded tenants. With fifty tenants, the cost that each pays for a contract is
 * negligible.
 */
const MOST_TENANTS = 50;

/** Adds or removes a tenant. */
export function withTenant(
  record: ContractRecord,
  tenant: string,
  watches: boolean,
): ContractRecord {
  const { tenants } = record;
  if (tenants.includes(tenant) === watches) return record;
  if (watches && tenants.length >= MOST_TENANTS) return record;
  const others = tenants.filter((other) => other !== tenant);
  return { ...record, tenants: watches ? [...others, tenant].toSorted() : others };
}

/**
 * Minimum time between two calls about a contract that the provider does not have, because each
 * call costs budget.
 */
const UNSUPPORTED_FOR = 6 * HOUR;

/** Whether a provider recently answered that it does not have the contract. */
export function isUnsupportedBy(
  { unsupportedBy }: ContractRecord,
  provider: Provider,
  now: Instant,
): boolean {
  return (unsupportedBy?.[provider] ?? 0) > now;
}

/** Records that providers do not have the contract. */
export function withLacking(
  record: ContractRecord,
  lacking: readonly Provider[],
  now: Instant,
): ContractRecord {
  if (lacking.length === 0) return record;
  const until = Object.fromEntries(lacking.map((provider) => [provider, now + UNSUPPORTED_FOR]));
  return { ...record, unsupportedBy: { ...record.unsupportedBy, ...until } };
}

/**
 * Sets how far back the floors of a record are known. The next answer then causes an evaluation of
 * the watches that waited for this past.
 */
export function withPast(
  record: ContractRecord,
  past: BackfillState,
  now: Instant,
): ContractRecord {
  const isFurther = past.known !== record.past?.known;
  return {
    ...record,
    past,
    ...(isFurther && { timers: { ...record.timers, refreshRequested: now } }),
  };
}

/** The price series of a record, each with its state. */
export function seriesIn(
  record: ContractRecord,
): readonly (readonly [PriceSeriesName, SeriesRecord])[] {
  return entriesOf(record.series);
}

/** The price series whose values a request for `asked` returns, each with its state. */
export function returnedWith(
  record: ContractRecord,
  asked: PriceSeriesName,
): readonly (readonly [PriceSeriesName, SeriesRecord])[] {
  return seriesIn(record).filter(([series]) => carrierOf(series) === asked);
}

/** The newest point of a price series, including one that rules do not use yet. */
export function newestOf({ timeline }: ContractRecord, series: PriceSeriesName): Point | undefined {
  return newestIn(newestReading(timeline), series);
}

/**
 * Whether an answer must be evaluated although it brings nothing new: a timer is due, an episode of
 * a rule with a window is open, or a new watch waits for its first value.
 */
export function isAnswerRequested({ timers }: ContractRecord, asked: Instant): boolean {
  const { answer, window, refreshRequested } = timers;
  return (
    window !== undefined ||
    (answer !== undefined && answer <= asked) ||
    (refreshRequested !== undefined && refreshRequested < asked)
  );
}

/** If no answer follows the end of a rule, its watches end after this time. */
export const GRACE_PERIOD_AFTER_END = DAY;

/**
 * Whether the clock alone makes an evaluation due. Once an hour this is also true if a timer has
 * waited too long for an answer, because the timer may be the end of a rule.
 */
export function isClockDue({ timers }: ContractRecord, now: Instant, minute = MINUTE): boolean {
  const waits = [timers.answer, timers.window].some((timer) => {
    const over = timer === undefined ? -1 : now - timer - GRACE_PERIOD_AFTER_END;
    return over >= 0 && over % HOUR < minute;
  });
  return waits || (timers.clock !== undefined && timers.clock <= now);
}

/** Whether steps wait for an evaluation, or the clock makes one due. */
export function isEvaluationDue(record: ContractRecord, now: Instant): boolean {
  return record.timeline.steps.length > 0 || isClockDue(record, now);
}

function entriesOf<Value>(
  map: Readonly<Partial<Record<PriceSeriesName, Value>>>,
): readonly (readonly [PriceSeriesName, Value])[] {
  return PRICE_SERIES_NAMES.flatMap((series) => {
    const value = map[series];
    return value === undefined ? [] : [[series, value] as const];
  });
}
