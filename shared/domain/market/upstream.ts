import type { Contract } from './contract.ts';
import type { Decimal } from './decimal.ts';
import type { Instant } from './instant.ts';
import type { StatisticsSeries } from './price-series.ts';

/**
 * The result of one call to the upstream. Only `ok` has a value, so a refusal never counts as a
 * price.
 */
export type Outcome<Value> = { readonly kind: 'ok'; readonly value: Value } | Refusal;

/** Maps the value of an outcome. Outcomes without a value are returned unchanged. */
export function mapOutcome<Given, Mapped>(
  outcome: Outcome<Given>,
  map: (value: Given) => Mapped,
): Outcome<Mapped> {
  return outcome.kind === 'ok' ? { kind: 'ok', value: map(outcome.value) } : outcome;
}

/** Whether an outcome is an answer: a value, or the fact that there is none (`empty`). */
export function isAnswer<Given extends { readonly kind: string }>(
  outcome: Given,
): outcome is Extract<Given, { readonly kind: 'ok' | 'empty' }> {
  return outcome.kind === 'ok' || outcome.kind === 'empty';
}

/** Whether the provider lacks the contract, so that a retry in the next poll is useless. */
export function isLacking(outcome: { readonly kind: string; readonly reason?: string }): boolean {
  if (outcome.kind === 'not_found') return true;
  return outcome.kind === 'unsupported' && LACKING.has(outcome.reason ?? '');
}

const LACKING: ReadonlySet<string> = new Set(['chain', 'shared', 'traits']);

/** An outcome without a value. Messages state its reason. */
export type Refusal =
  | { readonly kind: 'empty' }
  | { readonly kind: 'not_ready' }
  | { readonly kind: 'not_found' }
  /**
   * - `retired`: the provider does not offer this operation.
   * - `chain`: the provider does not support the chain.
   * - `money`: the lowest sale was not paid in ETH, and the lowest sale in ETH is not reported.
   * - `price`: the amount of the lowest sale is not a valid price (such as zero), and other sales
   *   are not reported.
   * - `shared`: the contract holds several collections, or the collection has several contracts. A
   *   price of the collection is then not a price of the contract.
   * - `traits`: the provider does not report prices of tokens with some traits.
   * - `many`: the window has more sales than one poll can read.
   */
  | {
      readonly kind: 'unsupported';
      readonly reason: 'retired' | 'chain' | 'money' | 'price' | 'shared' | 'traits' | 'many';
    }
  /** `plan`: the plan of our API key lacks this operation. Other reasons affect every operation. */
  | { readonly kind: 'denied'; readonly reason: 'key' | 'quota' | 'paused' | 'blocked' | 'plan' }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds?: number }
  | { readonly kind: 'failed'; readonly reason: FailureReason };

/**
 * The reason for a failed call. A retry may succeed, except after `bad_request`, which needs a
 * change of our code.
 */
type FailureReason =
  | 'timeout'
  | 'network'
  | 'server_error'
  | 'garbage'
  | 'too_large'
  | 'redirect'
  | 'bad_request';

/** A floor price: the lowest ask that the provider knew at its time. */
export type FloorPoint = {
  readonly time: Instant;
  readonly price: Decimal;
  /** The currency of `price`, as `unitOf` names it. */
  readonly currency: string;
  readonly usd?: Decimal;
  /** The marketplaces that the provider read, in its spelling. */
  readonly marketplaces: readonly string[];
};

/** The trade with the lowest price among those paid in ETH. */
export type LowestTrade = {
  readonly time: Instant;
  readonly price: Decimal;
  readonly usd?: Decimal;
  readonly transactionHash?: string;
  readonly tokenIds: readonly string[];
};

/** The best current offer for any token of a collection. The price is for one token. */
export type BestOffer = {
  readonly price: Decimal;
  /** The currency of `price`, as `unitOf` names it. */
  readonly currency: string;
  readonly usd?: Decimal;
};

/** A page of floor history. */
export type FloorPage = {
  /** Newest first. */
  readonly points: readonly FloorPoint[];
  /** The start of the next page; undefined on the last page. */
  readonly cursor?: string;
  /**
   * Set if the provider could not report the earlier floors, so that the next poll requests them
   * again.
   */
  readonly isCut?: true;
  /** Current statistics in the same answer. */
  readonly statistics?: Statistics;
};

/** Current statistics of a collection. Series that the provider does not report are absent. */
export type Statistics = Readonly<
  Partial<Record<StatisticsSeries, { readonly value: Decimal; readonly unit: string }>>
>;

/** A request for floor history: its interval, and the start of the page. */
export type FloorQuery = {
  readonly interval: FloorInterval;
  readonly cursor?: string;
  /**
   * Set for polls, which request the current floor and all floors since the newest known one. With
   * `reachesBack` they request the floors of the whole interval. A current floor that is reported
   * without a time has the time `askedAt`.
   */
  readonly poll?: {
    readonly askedAt: Instant;
    readonly newest: KnownFloor | undefined;
    readonly reachesBack: boolean;
  };
};

/** The newest observed floor of a contract. */
export type KnownFloor = Pick<FloorPoint, 'time' | 'price' | 'currency' | 'usd'>;

export type FloorInterval = '1d' | '7d' | '30d' | '60d' | '90d' | '1y' | 'all';

/**
 * The two operations that report the lowest trade. Some providers no longer offer `lowestprice`.
 */
export type LowestWay = 'lowestprice' | 'price';

/**
 * A client's request to the v2.2 interface that is forwarded to the upstream. The answer is
 * returned unchanged.
 */
export type RawQuestion = {
  readonly way: UpstreamWay;
  readonly contract: Contract;
  /** The query parameters, unchanged, without `chain`. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** The paths of the v2.2 interface that follow the address of a contract. */
export type UpstreamWay = 'nfts-by-traits' | 'floor-price/historical' | LowestWay;
