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
  /** Distinguishes it from equal sales of its transaction, see `createPositions`. */
  readonly mark: string;
};

/** Sales, and since when none is missing among them. */
export type SalesRead = { readonly sales: readonly Sale[]; readonly since: Instant };

/** The lowest of some sales; the earliest wins a tie. */
export function lowestOf<One extends LowestTrade>(sales: readonly One[]): One | undefined {
  return sales.reduce<One | undefined>((lowest, sale) => {
    const isLower =
      lowest === undefined ||
      sale.price < lowest.price ||
      (sale.price === lowest.price && sale.time < lowest.time);
    return isLower ? sale : lowest;
  }, undefined);
}

/** Finds the collection that people mean; undefined where the provider cannot search. */
export type FindCollection =
  | ((asked: string, signal: AbortSignal) => Promise<CollectionSearch>)
  | undefined;

/** Reports a page of what a wallet holds. */
export type ReadHoldings = (
  wallet: WalletAddress,
  cursor: string | undefined,
  signal: AbortSignal,
) => Promise<Outcome<HoldingsPage>>;

/**
 * A provider, one member an operation; what it does not offer at all is left out. Never rejects but for
 * an abort by the caller's signal.
 */
export type Upstream = {
  /** The valid points of a page; `empty` without a record, garbage without a valid one. */
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
  /** `empty` without an offer in ETH or the currency of the chain. */
  readonly bestOffer?: (contract: Contract, signal: AbortSignal) => Promise<Outcome<BestOffer>>;
  /** The sales of a span, as far back from its end as one answer reaches; all that it reports, it has. */
  readonly salesBetween?: (
    contract: Contract,
    span: { readonly from: Instant; readonly to?: Instant | undefined },
    signal: AbortSignal,
  ) => Promise<Outcome<SalesRead>>;
  /**
   * The answer as the vendor wrote it, byte for byte: but a single `result` becomes an array, and
   * the lowest sale of `price` the record that `lowestprice` would have reported.
   */
  readonly answer?: (question: RawQuestion, signal: AbortSignal) => Promise<Outcome<string>>;
};

/** A provider that answers all operations. */
export type MainUpstream = Upstream &
  Required<Pick<Upstream, 'floorHistory' | 'lowestTrade' | 'answer'>>;
