import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import type { CallerTenant } from '#shared/http/caller.ts';
import type { ReadContractsPorts } from './ports.ts';

/** A contract, with the lists of one tenant that it is on. */
export type WatchedContract = {
  readonly contract: ContractKey;
  /** As the first of them that names it does. */
  readonly name: string | undefined;
  readonly watchlists: readonly string[];
};

const LISTS_AT_ONCE = 100;

/** All contracts on a tenant's lists, sorted. Whom else they are watched by is told to nobody. */
export async function watchedContracts(
  ports: Pick<ReadContractsPorts, 'watchlistsOf'>,
  tenant: CallerTenant,
): Promise<readonly WatchedContract[]> {
  const lists: Watchlist[] = [];
  let after: string | undefined;
  do {
    const { entries, next } = await ports.watchlistsOf(tenant, LISTS_AT_ONCE, after);
    lists.push(...entries);
    after = next;
  } while (after !== undefined);
  const members = lists.flatMap(({ id, members: of }) => of.map((member) => ({ id, ...member })));
  return [...Map.groupBy(members, ({ contract }) => contract)]
    .map(([contract, mine]) => ({
      contract,
      name: mine.find(({ name }) => name !== undefined)?.name,
      watchlists: mine.map(({ id }) => id),
    }))
    .toSorted((one, other) => (one.contract < other.contract ? -1 : 1));
}
