import { collectionFrom } from '#shared/domain/market/collection.ts';
import type { CollectionSearch } from '#shared/domain/market/collection-search.ts';
import { ContractKey, contractOf } from '#shared/domain/market/contract.ts';
import type { ProviderSettings } from '#shared/providers/call-provider.ts';
import { GARBAGE } from '#shared/providers/prices.ts';
import { readCollection, readSearch } from './answers.ts';
import { callOpenSea } from './call-opensea.ts';
import { slugOf } from './chains.ts';
import { slugOfContract } from './collection-slugs.ts';

/** Finds a collection by `<chain>:<address>`, by slug, or by name. */
export async function findCollection(
  settings: ProviderSettings,
  asked: string,
  signal: AbortSignal,
): Promise<CollectionSearch> {
  const contract = ContractKey.safeParse(asked);
  if (contract.success) return await byContract(settings, contract.data, signal);
  if (!SLUG.test(asked)) return await byName(settings, asked, signal);
  const found = await bySlug(settings, asked, signal);
  return found.kind === 'not_found' ? await byName(settings, asked, signal) : found;
}

const SLUG = /^[a-z0-9][a-z0-9_-]*$/;

async function byContract(
  settings: ProviderSettings,
  contract: ContractKey,
  signal: AbortSignal,
): Promise<CollectionSearch> {
  const slug = await slugOfContract(settings, contractOf(contract), signal);
  if (slug.kind !== 'ok') return slug;
  const found = await bySlug(settings, slug.value, signal);
  // OpenSea resolved the contract, so a 404 for its slug is a malformed answer.
  return found.kind === 'not_found' ? GARBAGE : found;
}

async function bySlug(
  settings: ProviderSettings,
  slug: string,
  signal: AbortSignal,
): Promise<CollectionSearch> {
  const path = `collections/${encodeURIComponent(slug)}`;
  const found = await callOpenSea(settings, path, {}, readCollection, signal);
  if (found.kind !== 'ok') return found;
  const [only, ...others] = found.value.contracts;
  // The collection has one floor for all its contracts together, so no contract has its own.
  if (others.length > 0) return { kind: 'unsupported', reason: 'shared' };
  if (only === undefined) return { kind: 'not_found' };
  const contract = ContractKey.safeParse(`${slugOf(only.chain)}:${only.address}`);
  if (!contract.success) return { kind: 'unsupported', reason: 'chain' };
  const { collection, name, image_url: image } = found.value;
  const read = collectionFrom({ slug: collection ?? slug, name, image });
  return read === undefined
    ? GARBAGE
    : { kind: 'found', contract: contract.data, collection: read };
}

/** The collection with exactly this name, or the only search result. */
async function byName(
  settings: ProviderSettings,
  name: string,
  signal: AbortSignal,
): Promise<CollectionSearch> {
  const query = { query: name, asset_types: 'collection', limit: '10' };
  const found = await callOpenSea(settings, 'search', query, readSearch, signal);
  if (found.kind !== 'ok') return found;
  const results = found.value;
  const same = results.filter((result) => result.name.toLowerCase() === name.toLowerCase());
  const [only, ...others] = same.length > 0 ? same : results;
  if (only === undefined || others.length > 0) return { kind: 'unclear', candidates: results };
  return await bySlug(settings, only.slug, signal);
}
