import type { Contract } from './contract.ts';
import type { Decimal } from './decimal.ts';
import type { Instant } from './instant.ts';
import type { StatisticsPart } from './price-series.ts';

/**
 * What came of one call to the upstream.
 *
 * Only `ok` carries a value, so nothing else can be mistaken for a price.
 */
export type Outcome<Value> = { readonly kind: 'ok'; readonly value: Value } | Refusal;

/** The same outcome with another value; what carries none stays as it is. */
export function mapOutcome<Given, Mapped>(
  outcome: Outcome<Given>,
  map: (value: Given) => Mapped,
): Outcome<Mapped> {
  return outcome.kind === 'ok' ? { kind: 'ok', value: map(outcome.value) } : outcome;
}

/** Whether it says what there is, also that there is nothing; all else says why it is not known. */
export function isAnswer<Given extends { readonly kind: string }>(
  outcome: Given,
): outcome is Extract<Given, { readonly kind: 'ok' | 'empty' }> {
  return outcome.kind === 'ok' || outcome.kind === 'empty';
}

/** Whether a provider has no data of the contract at all, and will have none in the next poll. */
export function isLacking(outcome: { readonly kind: string; readonly reason?: string }): boolean {
  if (outcome.kind === 'not_found') return true;
  return outcome.kind === 'unsupported' && LACKING.has(outcome.reason ?? '');
}

const LACKING: ReadonlySet<string> = new Set(['chain', 'shared', 'traits']);

/** An answer without a value, with the reason a person is informed. */
export type Refusal =
  | { readonly kind: 'empty' }
  | { readonly kind: 'not_ready' }
  | { readonly kind: 'not_found' }
  /**
   * `money`: the lowest sale was paid in other money than ETH; that of ETH is not reported.
   * `price`: the amount of the lowest sale is not a price, for example zero. No other sale is known.
   * `shared`: the contract holds several collections, or the collection has several contracts. A
   * price of the collection is then not a price of the contract.
   * `traits`: it reports nothing of tokens with some traits alone.
   * `many`: the window has more sales than one reading can fetch.
   */
  | {
      readonly kind: 'unsupported';
      readonly reason: 'retired' | 'chain' | 'money' | 'price' | 'shared' | 'traits' | 'many';
    }
  /** `plan`: the plan of our key lacks this operation; all other reasons concern every operation. */
  | { readonly kind: 'denied'; readonly reason: 'key' | 'quota' | 'paused' | 'blocked' | 'plan' }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds?: number }
  | { readonly kind: 'failed'; readonly reason: FailureReason };

/** Why a call failed that may well work when it is repeated; `bad_request` only after a change. */
type FailureReason =
  | 'timeout'
  | 'network'
  | 'server_error'
  | 'garbage'
  | 'too_large'
  | 'redirect'
  | 'bad_request';

/** A floor price with its own time: the lowest ask the vendor knew of at that moment. */
export type FloorPoint = {
  readonly time: Instant;
  readonly price: Decimal;
  /** The currency of `price`, as `unitOf` names it. */
  readonly currency: string;
  readonly usd?: Decimal;
  /** Names of the marketplaces the vendor read, as it spells them. */
  readonly marketplaces: readonly string[];
};

/** The executed trade with the lowest price, paid in ETH. */
export type LowestTrade = {
  readonly time: Instant;
  readonly price: Decimal;
  readonly usd?: Decimal;
  readonly transactionHash?: string;
  readonly tokenIds: readonly string[];
};

/** The best offer of now for any token of a collection: the price of one token. */
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
  /** Where the next page begins; undefined on the last. */
  readonly cursor?: string;
  /** The provider could not report what lies before: it is asked for again with the next poll. */
  readonly isCut?: true;
  /** Values of now that came with the floor. */
  readonly statistics?: Statistics;
};

/** Values of a collection as a provider counts them now; what it does not report is left out. */
export type Statistics = Readonly<
  Partial<Record<StatisticsPart, { readonly value: Decimal; readonly unit: string }>>
>;

/** What is asked of floor history: how far back, and where to begin. */
export type FloorQuery = {
  readonly interval: FloorInterval;
  readonly cursor?: string;
  /**
   * Of a poll: the floor of now is wanted, and what lies between it and the newest known one; with
   * `reachesBack` the whole interval.
   */
  readonly poll?: { readonly newest: KnownFloor | undefined; readonly reachesBack: boolean };
};

/** The newest observed floor of a contract. */
export type KnownFloor = Pick<FloorPoint, 'time' | 'price' | 'currency' | 'usd'>;

export type FloorInterval = '1d' | '7d' | '30d' | '60d' | '90d' | '1y' | 'all';

/** The two operations with the lowest trade; the first is retired at some vendors. */
export type LowestWay = 'lowestprice' | 'price';

/** One question of the interface as it is put to the upstream, to be answered word for word. */
export type RawQuestion = {
  readonly way: UpstreamWay;
  readonly contract: Contract;
  /** The query but for the chain, each parameter as it was given. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** The paths of the interface below a contract. */
export type UpstreamWay = 'nfts-by-traits' | 'floor-price/historical' | LowestWay;
