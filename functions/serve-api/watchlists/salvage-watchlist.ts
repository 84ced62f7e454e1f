import type { ContractKey } from '#shared/domain/market/contract.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { Own } from '#shared/http/caller.ts';
import type { ManageWatchlistsPorts } from './ports.ts';

/** Contracts whose watches are read at once. */
const AT_ONCE = 50;

/**
 * A list that is to be replaced or deleted. Of an unreadable list this is the readable part:
 * readable rules keep their episodes and readable channels their secrets, and the rest is lost.
 * Every contract on which the list has watches is brought in line.
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

/** The contracts on which a list has watches, found in the watches of all contracts. */
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
