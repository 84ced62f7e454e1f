import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { ReadPage, ReadSome, Unreadable } from '#shared/domain/unreadable.ts';
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

/** The pages of a tenant's lists. */
async function* listsOf(ports: Lists, tenant: CallerTenant) {
  let after: string | undefined;
  do {
    const page = await ports.watchlistsOf(tenant, LISTS_AT_ONCE, after);
    yield page;
    after = page.next;
  } while (after !== undefined);
}

/**
 * The contracts that are on a list of the tenant. Only their recorded data may be returned before a
 * list is written: the record of another contract would reveal that another tenant watches it.
 */
export async function ownContracts(
  ports: Lists,
  tenant: CallerTenant,
  contracts: readonly ContractKey[],
): Promise<ReadonlySet<ContractKey>> {
  const missing = new Set(contracts);
  for await (const { entries } of listsOf(ports, tenant)) {
    for (const { members } of entries) for (const { contract } of members) missing.delete(contract);
    if (missing.size === 0) break;
  }
  return new Set(contracts.filter((contract) => !missing.has(contract)));
}

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
  ports: Lists,
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
