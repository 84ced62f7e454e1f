import type { ContractKey } from '#shared/domain/market/contract.ts';
import { HOUR, type Instant } from '#shared/domain/market/instant.ts';
import {
  type Observation,
  PARTS,
  type Part,
  type Point,
  type PricePoint,
} from '#shared/domain/market/point.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import type { Skipped } from '#shared/domain/market/skipped.ts';
import type { Refusal } from '#shared/domain/market/upstream.ts';
import type { ThresholdIndexName } from '#shared/domain/rules/threshold-index.ts';
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
  /** The newest observation; `poll` where it is not the first of its poll. */
  readonly newest?: {
    readonly seq: number;
    readonly poll?: number;
    readonly point: Point;
    /** The price that stands while it is held back as an outlier. */
    readonly standing?: PricePoint;
    /**
     * The one before it: of a floor the one of the time before, with which its revisions are
     * compared; absent where that is `standing`.
     */
    readonly base?: PricePoint;
  };
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
 * What floorwatch knows of a contract: one small item, read by the dispatcher each minute and sent
 * along with a poll as its hint.
 */
export type ContractRecord = {
  readonly contract: ContractKey;
  readonly version: number;
  /** The number of the last observation. */
  readonly seq: number;
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
  /** How far the window expiries are evaluated, by data time, and when the next one comes. */
  readonly windowExpiries?: { readonly until: Instant; readonly nextAt?: Instant };
  readonly past?: Past;
  /** Observations that no finished evaluation has evaluated yet. */
  readonly unevaluated: readonly Observation[];
  /** Until when a provider other than the first is not asked about it: it lacks the contract. */
  readonly lackedBy?: Readonly<Partial<Record<Provider, Instant>>>;
  /** Wanted parts, with the instant after which each must be asked. */
  readonly wanted: Readonly<Partial<Record<Part, Instant>>>;
};

/**
 * A contract that was never polled. Its numbers begin with the time, so they are above
 * those of an earlier record of the contract.
 */
export function newContractRecord(contract: ContractKey, now: Instant): ContractRecord {
  return {
    contract,
    version: 0,
    seq: now,
    parts: {},
    tenants: [],
    thresholdIndexes: [],
    unevaluated: [],
    wanted: {},
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

/** The wanted parts, each with the instant after which it must be asked. */
export function wantedOf(record: ContractRecord): readonly (readonly [Part, Instant])[] {
  return entriesOf(record.wanted);
}

function entriesOf<Value>(
  map: Readonly<Partial<Record<Part, Value>>>,
): readonly (readonly [Part, Value])[] {
  return PARTS.flatMap((part) => {
    const value = map[part];
    return value === undefined ? [] : [[part, value] as const];
  });
}
