import type { CollectionSearch } from '#shared/domain/market/collection-search.ts';
import type { Contract } from '#shared/domain/market/contract.ts';
import type {
  FloorPage,
  FloorQuery,
  LowestTrade,
  LowestWay,
  Outcome,
  RawQuestion,
} from '#shared/domain/market/upstream.ts';

/** Finds the collection that people mean; undefined where the provider cannot search. */
export type FindCollection =
  | ((asked: string, signal: AbortSignal) => Promise<CollectionSearch>)
  | undefined;

/**
 * A provider, one member an operation; what it does not offer at all is left out. Never rejects but for
 * an abort by the caller's signal.
 */
export type Upstream = {
  /** The valid points of a page; `empty` without a record, garbage without a valid one. */
  readonly floorHistory: (
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
  /**
   * The answer as the vendor wrote it, byte for byte: but a single `result` becomes an array, and
   * the lowest sale of `price` the record that `lowestprice` would have reported.
   */
  readonly answer?: (question: RawQuestion, signal: AbortSignal) => Promise<Outcome<string>>;
};

/** A provider that answers all operations. */
export type MainUpstream = Upstream & Required<Pick<Upstream, 'lowestTrade' | 'answer'>>;
