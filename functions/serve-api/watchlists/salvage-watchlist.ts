import type { ContractKey } from '#shared/domain/market/contract.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { watchedMembers } from '#shared/domain/watchlists/value-member.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { Own } from '#shared/http/caller.ts';
import { inGroups } from '#shared/use-cases/in-groups.ts';
import type { ManageWatchlistsPorts } from './ports.ts';

/** Maximum contracts whose watches are read in parallel. */
const AT_ONCE = 50;

/**
 * Reads a list before its replacement or deletion. From an unreadable list it salvages the readable
 * part: readable rules keep their episodes and readable channels keep their secrets. The rest is
 * lost. The change is applied to every contract on which the list has watches.
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
    const known = watchedMembers(list).map(({ contract }) => contract);
    const others = hasAllMembers ? [] : await contractsWatchedBy(ports, id);
    return { ...list, salvagedOn: [...known, ...others] };
  }
}

/** Finds the contracts on which a list has watches, by reading all watched contracts. */
async function contractsWatchedBy(
  ports: ManageWatchlistsPorts,
  { tenant, id: list }: Own<WatchlistId>,
): Promise<readonly ContractKey[]> {
  const all = await ports.watchedContracts();
  const isWatched = await inGroups(all, AT_ONCE, async (contract) => {
    const { entries, unreadable } = await ports.watchesOfList({ tenant, list }, contract);
    return entries.length > 0 || unreadable.length > 0;
  });
  return all.filter((_, index) => isWatched[index]);
}
