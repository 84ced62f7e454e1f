import type { Collection } from './collection.ts';
import type { ContractKey } from './contract.ts';
import type { Instant } from './instant.ts';
import type { Refusal } from './upstream.ts';

/** A collection and the one contract that it has. */
export type FoundCollection = {
  readonly kind: 'found';
  readonly contract: ContractKey;
  readonly collection: Collection;
};

/** What came of looking for a collection as people ask for it: a slug, a link, a contract, a name. */
export type CollectionSearch =
  | FoundCollection
  /** Several collections have such a name, or none. */
  | { readonly kind: 'unclear'; readonly candidates: readonly Candidate[] }
  | Refusal;

/** What came of a search on behalf of a tenant, or why the provider was not asked. */
export type Searched =
  | CollectionSearch
  | { readonly kind: 'no_slot'; readonly until: Instant }
  | { readonly kind: 'share_used_up'; readonly retryAfterSeconds: number };

/** A collection that may be meant; it is found by its slug. */
type Candidate = { readonly name: string; readonly slug: string };
