import type { TradeRecord } from '#shared/domain/archive/trade.ts';
import type { CollectionSearch } from '#shared/domain/market/collection-search.ts';
import type { Contract } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type {
  BestOffer,
  FloorPage,
  FloorQuery,
  LowestTrade,
  LowestWay,
  Outcome,
  RawQuestion,
} from '#shared/domain/market/upstream.ts';
import type { HoldingsPage, WalletAddress } from '#shared/domain/market/wallet.ts';

/** A sale of one token or several equal ones, paid in ETH. */
export type Sale = LowestTrade & {
  readonly record: TradeRecord;
  /** Distinguishes the sale from equal sales in the same transaction; see `createPositions`. */
  readonly mark: string;
};

/** Sales, and the time since which they are complete. */
export type SalesRead = { readonly sales: readonly Sale[]; readonly since: Instant };

/** The lowest sale; if several sales are equally low, the earliest of them. */
export function lowestOf<One extends LowestTrade>(sales: readonly One[]): One | undefined {
  return sales.reduce<One | undefined>((lowest, sale) => {
    const isLower =
      lowest === undefined ||
      sale.price < lowest.price ||
      (sale.price === lowest.price && sale.time < lowest.time);
    return isLower ? sale : lowest;
  }, undefined);
}

/** Finds a collection by name; undefined if the provider has no search. */
export type FindCollection =
  | ((asked: string, signal: AbortSignal) => Promise<CollectionSearch>)
  | undefined;

/** Reads a page of a wallet's holdings. */
export type ReadHoldings = (
  wallet: WalletAddress,
  cursor: string | undefined,
  signal: AbortSignal,
) => Promise<Outcome<HoldingsPage>>;

/**
 * A provider. Each member is an operation; unsupported ones are missing. Rejects only if the
 * caller's signal aborts.
 */
export type Upstream = {
  /**
   * The valid points of a page: `empty` if the page has no records, `failed` with the reason
   * `garbage` if no record is valid.
   */
  readonly floorHistory?: (
    contract: Contract,
    query: FloorQuery,
    signal: AbortSignal,
  ) => Promise<Outcome<FloorPage>>;
  readonly lowestTrade?: (
    contract: Contract,
    days: number,
    way: LowestWay,
    signal: AbortSignal,
  ) => Promise<Outcome<LowestTrade>>;
  /** `empty` if there is no offer in ETH or the currency of the chain. */
  readonly bestOffer?: (contract: Contract, signal: AbortSignal) => Promise<Outcome<BestOffer>>;
  /**
   * The sales of a span, as far back from its end as one answer reaches. The returned part is
   * complete.
   */
  readonly salesBetween?: (
    contract: Contract,
    span: { readonly from: Instant; readonly to?: Instant | undefined },
    signal: AbortSignal,
  ) => Promise<Outcome<SalesRead>>;
  /**
   * The provider's answer byte for byte, with two exceptions: a single `result` becomes an array,
   * and the lowest sale of `price` becomes the record of `lowestprice`.
   */
  readonly answer?: (question: RawQuestion, signal: AbortSignal) => Promise<Outcome<string>>;
};

/** A provider that supports all operations. */
export type MainUpstream = Upstream &
  Required<Pick<Upstream, 'floorHistory' | 'lowestTrade' | 'answer'>>;
