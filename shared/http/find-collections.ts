import type { CollectionSearch, Searched } from '#shared/domain/market/collection-search.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { OPERATIONS } from '#shared/domain/market/operations.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import type { TakeProviderCall } from '#shared/use-cases/daily-share.ts';
import { callOnce, type RateLimitedCalls } from '#shared/use-cases/rate-limited-call.ts';
import type { FindCollection } from '#shared/use-cases/upstream.ts';
import type { FoundCollections } from './answer-shapes.ts';
import type { CallerTenant } from './caller.ts';
import { refusalProblem, shareUsedUp } from './refusal-problem.ts';

export type CollectionPorts = RateLimitedCalls & {
  readonly findCollection: FindCollection;
  readonly takeCall: TakeProviderCall;
};

/**
 * Searches the provider for a collection. A search is charged like a search for traits, because no
 * provider charges more than that for a search for collections.
 */
export async function searchCollection(
  ports: CollectionPorts,
  tenant: CallerTenant,
  asked: string,
  signal: AbortSignal,
): Promise<Searched> {
  const { findCollection } = ports;
  if (findCollection === undefined) return { kind: 'unsupported', reason: 'retired' };
  const wait = await ports.takeCall(tenant, 'traits');
  if (wait !== undefined) return { kind: 'share_used_up', retryAfterSeconds: wait };
  const search = async () => outcomeOf(await findCollection(asked, signal));
  const made = await callOnce(ports, OPERATIONS.traits.calls, search, signal);
  if (made.call === undefined) return { kind: 'no_capacity', until: made.until };
  return made.outcome.kind === 'ok' ? made.outcome.value : made.outcome;
}

/** The answer to a search. Throws a problem if the provider did not answer. */
export function foundCollections(searched: Searched, now: Instant): FoundCollections {
  switch (searched.kind) {
    case 'found': {
      const { contract, collection } = searched;
      const { name, slug, image } = collection;
      return { collection: { contract, name, slug, image: image ?? null }, candidates: [] };
    }
    case 'unclear':
      return { collection: null, candidates: searched.candidates };
    case 'not_found':
    case 'empty':
    case 'not_ready':
      return { collection: null, candidates: [] };
    case 'share_used_up':
      throw shareUsedUp(searched.retryAfterSeconds);
    case 'no_capacity':
    case 'unsupported':
    case 'denied':
    case 'throttled':
    case 'failed':
      throw refusalProblem(searched, now);
  }
}

function outcomeOf(
  search: CollectionSearch,
): Outcome<Extract<CollectionSearch, { readonly kind: 'found' | 'unclear' }>> {
  return search.kind === 'found' || search.kind === 'unclear'
    ? { kind: 'ok', value: search }
    : search;
}
