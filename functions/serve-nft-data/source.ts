import type { Trait } from '#shared/domain/archive/token.ts';
import type { Contract } from '#shared/domain/market/contract.ts';
import type { AskingRefusal } from '#shared/domain/nft-data/known-answer.ts';
import type {
  FloorParameters,
  LowestParameters,
  TraitsParameters,
} from '#shared/domain/nft-data/queries.ts';

/** A validated question to the interface. */
export type NftQuestion =
  | TraitsQuestion
  | (FloorParameters & { readonly operation: 'floor'; readonly contract: Contract })
  | (LowestParameters & { readonly operation: 'lowest'; readonly contract: Contract });

export type TraitsQuestion = TraitsParameters & {
  readonly operation: 'traits';
  readonly contract: Contract;
  readonly traits: readonly Trait[];
  /** The body as it came: the upstream gets it byte for byte. */
  readonly body: string;
};

/** The answer of a source: a body in the interface's form, or why there is none. */
export type NftAnswer =
  | {
      readonly kind: 'ok';
      readonly body: string;
      readonly from: 'upstream' | 'archive';
      /** The number of entries of an archive page. */
      readonly entries?: number;
      readonly cached?: Cached;
    }
  /** There are no data, and that is the answer. */
  | { readonly kind: 'empty'; readonly cached?: Cached }
  | AskingRefusal
  /** The cursor is from no earlier answer to this question. */
  | { readonly kind: 'bad_cursor' };

/** The age of an earlier answer that is given again. */
type Cached = {
  readonly ageSeconds: number;
  /** Why there is no newer answer; absent for a fresh one. */
  readonly insteadOf?: AskingRefusal['kind'] | 'slow';
};

/** A source of answers: the upstream, the archive, or the archive behind the upstream. */
export type NftSource = (question: NftQuestion, signal: AbortSignal) => Promise<NftAnswer>;

/** Returns an answer that is at hand, without a call; undefined if there is none. */
export type RecallAnswer = (question: NftQuestion) => Promise<NftAnswer | undefined>;
