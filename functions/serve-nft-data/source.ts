import type { Trait } from '#shared/domain/archive/token.ts';
import type { Contract } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Refusal } from '#shared/domain/market/upstream.ts';
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
  /** The body as it came, in which the traits are told byte for byte. */
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
      /** How old it is, where it is an earlier answer that is told again. */
      readonly ageSeconds?: number;
      /** Whether it is told only because the upstream fails now. */
      readonly isStale?: boolean;
    }
  | Refusal
  /** A cursor that no earlier answer to this question gave. */
  | { readonly kind: 'bad_cursor' }
  /** The limits of the stack leave no call to the upstream until then. */
  | { readonly kind: 'no_slot'; readonly until: Instant };

/** Where answers come from: the upstream, our own archive, or one behind the other. */
export type NftSource = (question: NftQuestion, signal: AbortSignal) => Promise<NftAnswer>;
