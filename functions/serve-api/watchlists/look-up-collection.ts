import type { Searched } from '#shared/domain/market/collection-search.ts';
import type { CallerTenant } from '#shared/http/caller.ts';
import type { ManageWatchlistsPorts } from './ports.ts';

/** Searches for a collection at the provider, and stores its description. */
export async function lookUpCollection(
  {
    searchCollection,
    putCollection,
  }: Pick<ManageWatchlistsPorts, 'searchCollection' | 'putCollection'>,
  tenant: CallerTenant,
  asked: string,
  signal: AbortSignal,
): Promise<Searched> {
  const searched = await searchCollection(tenant, asked, signal);
  if (searched.kind === 'found') await putCollection(searched.contract, searched.collection);
  return searched;
}
