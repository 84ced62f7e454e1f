import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { ReadPage, ReadSome, Unreadable } from '#shared/domain/unreadable.ts';
import { watchedMembers } from '#shared/domain/watchlists/value-member.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import type { CallerTenant } from './caller.ts';

type Lists = {
  readonly watchlistsOf: (
    tenant: CallerTenant,
    limit: number,
    after: string | undefined,
  ) => Promise<ReadPage<Watchlist>>;
};

const LISTS_AT_ONCE = 100;

/** The lists of a tenant, page by page. */
async function* listsOf(ports: Lists, tenant: CallerTenant) {
  let after: string | undefined;
  do {
    const page = await ports.watchlistsOf(tenant, LISTS_AT_ONCE, after);
    yield page;
    after = page.next;
  } while (after !== undefined);
}

/**
 * Selects the contracts that are on a list of the tenant. Answers about an unsaved list or rule may
 * contain recorded data of these contracts only. Data of other contracts would reveal that another
 * tenant watches them.
 */
export async function ownContracts(
  ports: Lists,
  tenant: CallerTenant,
  contracts: readonly ContractKey[],
): Promise<ReadonlySet<ContractKey>> {
  const missing = new Set(contracts);
  for await (const { entries } of listsOf(ports, tenant)) {
    for (const { contract } of entries.flatMap(watchedMembers)) missing.delete(contract);
    if (missing.size === 0) break;
  }
  return new Set(contracts.filter((contract) => !missing.has(contract)));
}

/** A contract, with the lists of the tenant that contain it. */
export type WatchedContract = {
  readonly contract: ContractKey;
  /** The name of the contract in the first of these lists that gives it a name. */
  readonly name: string | undefined;
  readonly watchlists: readonly string[];
};

/**
 * The contracts on the readable lists of a tenant, sorted. Watches of other tenants are never
 * disclosed.
 */
export async function watchedContracts(
  ports: Lists,
  tenant: CallerTenant,
): Promise<ReadSome<WatchedContract>> {
  const lists: Watchlist[] = [];
  const unreadable: Unreadable[] = [];
  for await (const page of listsOf(ports, tenant)) {
    lists.push(...page.entries);
    unreadable.push(...page.unreadable);
  }
  const members = lists.flatMap((list) =>
    watchedMembers(list).map((member) => ({ id: list.id, ...member })),
  );
  const entries = [...Map.groupBy(members, ({ contract }) => contract)]
    .map(([contract, mine]) => ({
      contract,
      name: mine.find(({ name }) => name !== undefined)?.name,
      watchlists: mine.map(({ id }) => id),
    }))
    .toSorted((one, other) => (one.contract < other.contract ? -1 : 1));
  return { entries, unreadable };
}
