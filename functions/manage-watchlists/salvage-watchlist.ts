import type { ContractKey } from '#shared/domain/market/contract.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { Own } from '#shared/http/caller.ts';
import type { ManageWatchlistsPorts } from './ports.ts';

/** So many contracts are looked at together. */
const AT_ONCE = 50;

/**
 * A list as who replaces or deletes it reads it. Of one that cannot be read it is what can be: rules
 * that are understood keep their episodes, and channels their secrets; all others are gone, and
 * whatever contract the list has watches on is brought in line.
 */
export async function watchlistToReplace(
  ports: ManageWatchlistsPorts,
  id: Own<WatchlistId>,
): Promise<Watchlist | undefined> {
  try {
    return await ports.getWatchlist(id);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    const salvaged = await ports.salvageWatchlist(id);
    if (salvaged === undefined) throw error;
    const { list, hasAllMembers } = salvaged;
    const known = list.members.map(({ contract }) => contract);
    const others = hasAllMembers ? [] : await contractsWatchedBy(ports, id);
    return { ...list, salvagedOn: [...known, ...others] };
  }
}

/** The contracts on which a list has watches, found by the watches themselves. */
async function contractsWatchedBy(
  ports: ManageWatchlistsPorts,
  { tenant, id: list }: Own<WatchlistId>,
): Promise<readonly ContractKey[]> {
  const all = await ports.watchedContracts();
  const found: ContractKey[] = [];
  for (let start = 0; start < all.length; start += AT_ONCE) {
    const together = all.slice(start, start + AT_ONCE);
    const watches = await Promise.all(
      together.map((contract) => ports.watchesOfList({ tenant, list }, contract)),
    );
    found.push(
      ...together.filter((_, index) => {
        const { entries = [], unreadable = [] } = watches[index] ?? {};
        return entries.length > 0 || unreadable.length > 0;
      }),
    );
  }
  return found;
}
