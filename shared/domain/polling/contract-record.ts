import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { Point } from '#shared/domain/market/point.ts';
import { carrierOf, PARTS, type Part } from '#shared/domain/market/price-series.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { Skipped } from '#shared/domain/market/skipped.ts';
import type { Refusal } from '#shared/domain/market/upstream.ts';
import type { ThresholdIndexName } from '#shared/domain/rules/threshold-index.ts';
import {
  newestIn,
  newTimeline,
  readingOf,
  type Timeline,
} from '#shared/domain/timeline/timeline.ts';
import type { Past } from './past.ts';

type OutcomeKind = 'ok' | Refusal['kind'] | 'disputed';

/** What is known of one part of a contract. */
export type PartRecord = {
  /** What came of the last call that reported something new; absent before the first. */
  readonly outcome?: OutcomeKind;
  /** Why there is no value, for the contract's health. */
  readonly reason?: string;
  /** Since when the outcome is what it is. */
  readonly since?: Instant;
  /** Since when nothing usable was answered, for whatever reasons; absent while it is. */
  readonly silentSince?: Instant;
  /** When the last `ok` or `empty` answer was asked for; quiet polls leave it as it is. */
  readonly answeredAt?: Instant;
  /** The other provider that vouched for the newest floor, and when it was asked. */
  readonly confirmed?: { readonly by: Provider; readonly at: Instant };
  /** Since when another provider contradicts the floors of the first; absent once they agree. */
  readonly disputedSince?: Instant;
  /** Answers without a value in a row. The count stops at a limit. */
  readonly failures?: number;
  /**
   * Polls in a row whose floor no second provider confirmed although a rule with `minSources` waits
   * for it. The count stops at a limit.
   */
  readonly timesAlone?: number;
  /** The skipped records of recent answers by reason, and the start of the count. */
  readonly skipped?: { readonly at: Instant; readonly records: Skipped };
  /** When a part that failed, or that lacks a second source, is asked again, alone. */
  readonly retryAt?: Instant;
};

/**
 * What floorwatch knows of a contract: one small item, which the planner reads each minute.
 */
export type ContractRecord = {
  readonly contract: ContractKey;
  readonly version: number;
  /** The parts that rules need, each with what is known of it. */
  readonly parts: Readonly<Partial<Record<Part, PartRecord>>>;
  /** The tenants that watch it and pay for its polls, sorted; of very many only some. */
  readonly tenants: readonly string[];
  /**
   * The threshold indexes in which watches of the contract wait: an evaluation asks these and no
   * others.
   */
  readonly thresholdIndexes: readonly ThresholdIndexName[];
  /**
   * The progress of the sweep for unneeded threshold indexes: the last checked watch, and the indexes
   * that none has needed so far.
   */
  readonly sweep?: { readonly after: string; readonly unseen: readonly ThresholdIndexName[] };
  readonly past?: Past;
  readonly timeline: Timeline;
  readonly timers: Timers;
  /** Providers other than the first that lack the contract: no call is sent to them until then. */
  readonly lackedBy?: Readonly<Partial<Record<Provider, Instant>>>;
};

/**
 * A watch waits for an answer of that time or later (`answer`), for an answer that ends its window
 * (`window`), or for the clock alone (`clock`).
 */
export const WAKE_KINDS = ['answer', 'window', 'clock'] as const;
export type WakeKind = (typeof WAKE_KINDS)[number];

/** When watches of a contract must be evaluated, should nothing be reported: the earliest of each kind. */
export type Timers = Readonly<Partial<Record<WakeKind, Instant>>> & {
  /** When the newest watch began, or began again: it waits for the answer to a later request. */
  readonly awaited?: Instant;
};

/** A contract that was never polled. */
export function newContractRecord(contract: ContractKey, now: Instant): ContractRecord {
  return {
    contract,
    version: 0,
    parts: {},
    tenants: [],
    thresholdIndexes: [],
    timeline: newTimeline(now),
    timers: {},
  };
}

/** So many tenants of a contract are known: a part of its price is next to nothing by then. */
const MOST_TENANTS = 50;

/** The record as one of its tenants begins to watch it, or watches it no more. */
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

/** So long a provider that lacks a contract is not asked about it: each call costs its budget. */
const LACKED_FOR = 6 * HOUR;

/** Whether a provider has answered lately that it lacks a contract. */
export function isLackedBy(
  { lackedBy }: ContractRecord,
  provider: Provider,
  now: Instant,
): boolean {
  return (lackedBy?.[provider] ?? 0) > now;
}

/** The record with the providers that lack the contract as of now. */
export function withLacking(
  record: ContractRecord,
  lacking: readonly Provider[],
  now: Instant,
): ContractRecord {
  if (lacking.length === 0) return record;
  const until = Object.fromEntries(lacking.map((provider) => [provider, now + LACKED_FOR]));
  return { ...record, lackedBy: { ...record.lackedBy, ...until } };
}

/** The parts of a record with what is known of each. */
export function partsOf(record: ContractRecord): readonly (readonly [Part, PartRecord])[] {
  return entriesOf(record.parts);
}

/** The series of a record that the request of one of them returns, each with what is known of it. */
export function returnedWith(
  record: ContractRecord,
  asked: Part,
): readonly (readonly [Part, PartRecord])[] {
  return partsOf(record).filter(([part]) => carrierOf(part) === asked);
}

/** The newest point of a part, whatever it is worth to rules. */
export function newestOf({ timeline }: ContractRecord, part: Part): Point | undefined {
  return newestIn(readingOf(timeline), part);
}

/**
 * Whether an answer of a moment must be evaluated though it brings nothing new: a timer is due, an
 * episode of a rule with a window is open, or a new watch waits for its first value.
 */
export function isAnswerAwaited({ timers }: ContractRecord, asked: Instant): boolean {
  const { answer, window, awaited } = timers;
  return (
    window !== undefined ||
    (answer !== undefined && answer <= asked) ||
    (awaited !== undefined && awaited < asked)
  );
}

/** The end of a rule waits so long for an answer. */
export const LONGEST_WITHOUT_ANSWER = DAY;

/**
 * Whether the clock decides something by now, whatever the providers answer. Timers that have waited
 * too long for an answer are looked at each hour: one of them may be the end of a rule.
 */
export function isClockDue({ timers }: ContractRecord, now: Instant, minute = MINUTE): boolean {
  const waits = [timers.answer, timers.window].some((timer) => {
    const over = timer === undefined ? -1 : now - timer - LONGEST_WITHOUT_ANSWER;
    return over >= 0 && over % HOUR < minute;
  });
  return waits || (timers.clock !== undefined && timers.clock <= now);
}

/** Whether recorded steps wait for an evaluation, or the clock decides something by now. */
export function isEvaluationDue(record: ContractRecord, now: Instant): boolean {
  return record.timeline.steps.length > 0 || isClockDue(record, now);
}

function entriesOf<Value>(
  map: Readonly<Partial<Record<Part, Value>>>,
): readonly (readonly [Part, Value])[] {
  return PARTS.flatMap((part) => {
    const value = map[part];
    return value === undefined ? [] : [[part, value] as const];
  });
}
