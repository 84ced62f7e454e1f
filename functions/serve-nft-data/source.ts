import type { Trait } from '#shared/domain/archive/token.ts';
import type { Contract } from '#shared/domain/market/contract.ts';
import type { AskingRefusal } from '#shared/domain/nft-data/known-answer.ts';
import type {
  FloorParameters,
  LowestParameters,
  TraitsParameters,
} from '#shared/domain/nft-data/queries.ts';

/** A validated query to the v2.2 interface. */
export type NftQuestion =
  | TraitsQuestion
  | (FloorParameters & { readonly operation: 'floor'; readonly contract: Contract })
  | (LowestParameters & { readonly operation: 'lowest'; readonly contract: Contract });

export type TraitsQuestion = TraitsParameters & {
  readonly operation: 'traits';
  readonly contract: Contract;
  readonly traits: readonly Trait[];
  /** The original body, which the upstream gets byte for byte. */
  readonly body: string;
};

/** The answer of a source: a body in the interface's format, or the reason why there is none. */
export type NftAnswer =
  | {
      readonly kind: 'ok';
      readonly body: string;
      readonly from: 'upstream' | 'archive';
      /** The number of entries of an archive page. */
      readonly entries?: number;
      readonly cached?: Cached;
    }
  /** There are no data, which is a valid answer. */
  | { readonly kind: 'empty'; readonly cached?: Cached }
  | AskingRefusal
  /** The cursor does not belong to this query. */
  | { readonly kind: 'bad_cursor' };

/** The age of a cached answer. */
type Cached = {
  readonly ageSeconds: number;
  /** The reason why there is no newer answer; absent for a fresh answer. */
  readonly insteadOf?: AskingRefusal['kind'] | 'slow';
};

/**
 * A source of answers: the upstream, the archive, or the upstream with the archive as a fallback.
 */
export type NftSource = (question: NftQuestion, signal: AbortSignal) => Promise<NftAnswer>;

/** Returns a cached answer without a call; undefined if there is none. */
export type RecallAnswer = (question: NftQuestion) => Promise<NftAnswer | undefined>;
