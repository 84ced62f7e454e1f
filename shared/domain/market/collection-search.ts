import type { Collection } from './collection.ts';
import type { ContractKey } from './contract.ts';
import type { Instant } from './instant.ts';
import type { Refusal } from './upstream.ts';

/** A collection and its only contract. */
export type FoundCollection = {
  readonly kind: 'found';
  readonly contract: ContractKey;
  readonly collection: Collection;
};

/** The result of a search for a collection by slug, link, contract or name. */
export type CollectionSearch =
  | FoundCollection
  /** No single collection has this name. The candidates have similar names. */
  | { readonly kind: 'unclear'; readonly candidates: readonly Candidate[] }
  | Refusal;

/** The result of a tenant's search, or the reason why the provider was not called. */
export type Searched =
  | CollectionSearch
  | { readonly kind: 'no_capacity'; readonly until: Instant }
  | { readonly kind: 'share_used_up'; readonly retryAfterSeconds: number };

/** A collection that may be meant. A search for its slug finds exactly this collection. */
type Candidate = { readonly name: string; readonly slug: string };
