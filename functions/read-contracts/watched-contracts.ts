import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { ReadSome, Unreadable } from '#shared/domain/unreadable.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import type { CallerTenant } from '#shared/http/caller.ts';
import { listsOf } from '#shared/http/own-contracts.ts';
import type { ReadContractsPorts } from './ports.ts';

/** A contract, with the lists of one tenant that have it. */
export type WatchedContract = {
  readonly contract: ContractKey;
  /** The name that the first of these lists gives it. */
  readonly name: string | undefined;
  readonly watchlists: readonly string[];
};

/**
 * All contracts on the readable lists of a tenant, sorted. Watches of other tenants are not
 * disclosed.
 */
export async function watchedContracts(
  ports: Pick<ReadContractsPorts, 'watchlistsOf'>,
  tenant: CallerTenant,
): Promise<ReadSome<WatchedContract>> {
  const lists: Watchlist[] = [];
  const unreadable: Unreadable[] = [];
  for await (const page of listsOf(ports, tenant)) {
    lists.push(...page.entries);
    unreadable.push(...page.unreadable);
  }
  const members = lists.flatMap(({ id, members: of }) => of.map((member) => ({ id, ...member })));
  const entries = [...Map.groupBy(members, ({ contract }) => contract)]
    .map(([contract, mine]) => ({
      contract,
      name: mine.find(({ name }) => name !== undefined)?.name,
      watchlists: mine.map(({ id }) => id),
    }))
    .toSorted((one, other) => (one.contract < other.contract ? -1 : 1));
  return { entries, unreadable };
}
