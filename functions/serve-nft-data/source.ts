import type { Trait } from '#shared/domain/archive/token.ts';
import type { Contract } from '#shared/domain/market/contract.ts';
import type { AskingRefusal } from '#shared/domain/nft-data/known-answer.ts';
import type {
  FloorParameters,
  LowestParameters,
  TraitsParameters,
} from '#shared/domain/nft-data/queries.ts';

/** A question to the interface, checked. */
export type NftQuestion =
  | TraitsQuestion
  | (FloorParameters & { readonly operation: 'floor'; readonly contract: Contract })
  | (LowestParameters & { readonly operation: 'lowest'; readonly contract: Contract });

export type TraitsQuestion = TraitsParameters & {
  readonly operation: 'traits';
  readonly contract: Contract;
  readonly traits: readonly Trait[];
  /** The body as it came, in which the traits are reported byte for byte. */
  readonly body: string;
};

/** What a source says: a body in the interface's form, or why there is none. */
export type NftAnswer =
  | {
      readonly kind: 'ok';
      readonly body: string;
      readonly from: 'upstream' | 'archive';
      /** How many entries a page of the archive has. */
      readonly entries?: number;
      readonly cached?: Cached;
    }
  /** There is nothing, and that is the answer. */
  | { readonly kind: 'empty'; readonly cached?: Cached }
  | AskingRefusal
  /** A cursor that no earlier answer to this question gave. */
  | { readonly kind: 'bad_cursor' };

/** Of an earlier answer that is reported again. */
type Cached = {
  readonly ageSeconds: number;
  /** Why there is no newer one, where the answer is reported only because of that. */
  readonly insteadOf?: AskingRefusal['kind'] | 'slow';
};

/** Where answers come from: the upstream, our own archive, or one behind the other. */
export type NftSource = (question: NftQuestion, signal: AbortSignal) => Promise<NftAnswer>;

/** Reports an answer that is at hand, without asking anybody; undefined where there is none. */
export type RecallAnswer = (question: NftQuestion) => Promise<NftAnswer | undefined>;
