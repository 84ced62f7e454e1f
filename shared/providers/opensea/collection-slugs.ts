import {
  type Contract,
  type ContractKey,
  contractKey,
  wholeCollection,
} from '#shared/domain/market/contract.ts';
import { HOUR } from '#shared/domain/market/instant.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import type { ProviderSettings } from '#shared/providers/call-provider.ts';
import { readCollection, readContract } from './answers.ts';
import { callOpenSea } from './call-opensea.ts';
import { identifierOf } from './chains.ts';

/** Finds the slugs of contracts' collections, and caches them in memory. */
export type CollectionSlugs = {
  readonly slugOf: (contract: Contract, signal: AbortSignal) => Promise<Outcome<string>>;
  /** Removes a slug that OpenSea no longer accepts; its owner may have changed it. */
  readonly forget: (contract: Contract) => void;
};

/** Maximum number of cached slugs; a stack polls about 10,000 contracts at most. */
const MOST_SLUGS = 10_000;
/**
 * Time to live of a cached slug: an owner may change the slug of a collection, and another owner
 * may take the old slug.
 */
const REMEMBERED_FOR = 6 * HOUR;

export function createCollectionSlugs(settings: ProviderSettings): CollectionSlugs {
  const known = new Map<
    ContractKey,
    { readonly until: number; readonly slug: Promise<Outcome<string>> }
  >();
  return {
    slugOf: async (contract, signal) => {
      const key = wholeCollection(contractKey(contract));
      const now = settings.now();
      const remembered = known.get(key);
      // The price series of a contract are requested concurrently and share one look-up.
      if (remembered !== undefined && remembered.until > now) return await remembered.slug;
      if (known.size >= MOST_SLUGS) known.clear();
      const slug = lookUp(settings, contract, signal);
      known.set(key, { until: now + REMEMBERED_FOR, slug });
      const found = await slug.catch((error: unknown) => {
        known.delete(key);
        throw error;
      });
      if (found.kind !== 'ok') known.delete(key);
      return found;
    },
    forget: (contract) => void known.delete(wholeCollection(contractKey(contract))),
  };
}

async function lookUp(
  settings: ProviderSettings,
  contract: Contract,
  signal: AbortSignal,
): Promise<Outcome<string>> {
  const slug = await slugOfContract(settings, contract, signal);
  if (slug.kind !== 'ok') return slug;
  const ofSlug = `collections/${encodeURIComponent(slug.value)}`;
  const collection = await callOpenSea(settings, ofSlug, {}, readCollection, signal);
  if (collection.kind !== 'ok') return collection;
  // The collection has one floor for all its contracts together.
  if (collection.value.contracts.length > 1) return { kind: 'unsupported', reason: 'shared' };
  return slug;
}

/** The slug of the only collection of a contract. */
export async function slugOfContract(
  settings: ProviderSettings,
  { chain, address }: Contract,
  signal: AbortSignal,
): Promise<Outcome<string>> {
  const identifier = identifierOf(chain);
  if (identifier === undefined) return { kind: 'unsupported', reason: 'chain' };
  const path = `chain/${identifier}/contract/${address}`;
  const found = await callOpenSea(settings, path, {}, readContract, signal);
  if (found.kind !== 'ok') return found;
  const { slug } = found.value;
  return slug === '' ? { kind: 'unsupported', reason: 'shared' } : { kind: 'ok', value: slug };
}
