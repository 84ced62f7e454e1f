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
  /** Outcome of the last call that changed something; absent before the first. */
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
   * Number of consecutive polls whose floor no second provider confirmed although a rule with
   * `minSources` needs that, up to a limit.
   */
  readonly timesAlone?: number;
  /** Number of skipped records in recent answers by reason, and the start of the count. */
  readonly skipped?: { readonly at: Instant; readonly records: Skipped };
  /**
   * When a price series that failed, or that lacks a second source, is requested again before its
   * cadence.
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
   * The threshold indexes in which watches of the contract wait. An evaluation queries only these.
   */
  readonly thresholdIndexes: readonly ThresholdIndexName[];
  /**
   * Progress of the sweep for unneeded threshold indexes: the last checked watch, and the indexes
   * that no watch has needed so far.
   */
  readonly sweep?: { readonly after: string; readonly unseen: readonly ThresholdIndexName[] };
  /** Only for the value of a list: the held tokens. */
  readonly held?: readonly HeldTokens[];
  readonly past?: BackfillState;
  readonly timeline: Timeline;
  readonly timers: Timers;
  /**
   * Other providers that do not have the contract, each with the time before which it is not
   * called.
   */
  readonly unsupportedBy?: Readonly<Partial<Record<Provider, Instant>>>;
};

/**
 * A watch waits for an answer from this time or later (`answer`), for an answer that moves its
 * window (`window`), or only for the clock (`clock`).
 */
export const WAKE_KINDS = ['answer', 'window', 'clock'] as const;
export type WakeKind = (typeof WAKE_KINDS)[number];

/**
 * When watches of a contract must be evaluated even if nothing new is reported: the earliest timer
 * of each kind.
 */
export type Timers = Readonly<Partial<Record<WakeKind, Instant>>> & {
  /** When the newest watch began or restarted. It waits for the answer to a later request. */
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

/** Maximum number of recorded tenants. With fifty tenants the part of each is negligible. */
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
 * A provider that lacks a contract is not called about it for this time, since each call costs
 * budget.
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
 * Sets how far back the floors of a record are known. The next answer then evaluates the watches
 * that waited for their past.
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

/** The price series whose values come with the request for `asked`, each with its state. */
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

/** Maximum time that the end of a rule waits for an answer. */
export const LONGEST_WITHOUT_ANSWER = DAY;

/**
 * Whether the clock alone makes an evaluation due. This includes timers that have waited too long
 * for an answer, checked once an hour: one of them may be the end of a rule.
 */
export function isClockDue({ timers }: ContractRecord, now: Instant, minute = MINUTE): boolean {
  const waits = [timers.answer, timers.window].some((timer) => {
    const over = timer === undefined ? -1 : now - timer - LONGEST_WITHOUT_ANSWER;
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
