import { isDeepStrictEqual } from 'node:util';
import { type Cadences, contractsThatFit, mostContracts } from '#shared/domain/polling/cadences.ts';
import {
  contractsLeft,
  listUsageOf,
  QuotaError,
  type QuotaUsage,
  quotaIssue,
  withListUsage,
} from '#shared/domain/watchlists/quota-usage.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import type { Of } from './commit-change.ts';

export type QuotaPorts<Tenant extends string> = {
  readonly configuredCadenceMinutes: number;
  readonly getCadences: () => Promise<Cadences>;
  readonly getQuotaUsage: (tenant: Tenant) => Promise<QuotaUsage>;
};

/**
 * The tenant's quota usage including a list; undefined if it is unchanged. Throws QuotaError if the
 * usage would exceed a limit.
 */
export async function withRoomFor<Tenant extends string>(
  ports: QuotaPorts<Tenant>,
  list: Of<Tenant, Watchlist>,
): Promise<QuotaUsage | undefined> {
  const [known, polled] = await Promise.all([
    ports.getQuotaUsage(list.tenant),
    polledDaily(ports, list.tenant),
  ]);
  const had = known.lists.find((one) => one.list === list.id);
  const has = listUsageOf(list);
  if (isDeepStrictEqual(had, has)) return undefined;
  const next = withListUsage(known, list.id, has);
  const issue = quotaIssue(known, next, polled);
  if (issue !== undefined) throw new QuotaError(issue);
  return next;
}

/** The maximum number of contracts of a list within its tenant's limits. */
export async function contractsLeftTo<Tenant extends string>(
  ports: QuotaPorts<Tenant>,
  list: Of<Tenant, Watchlist>,
): Promise<number> {
  const [known, polled] = await Promise.all([
    ports.getQuotaUsage(list.tenant),
    polledDaily(ports, list.tenant),
  ]);
  return contractsLeft(known, list, polled);
}

/**
 * The number of a tenant's contracts that can be polled once a day; undefined before the first
 * tick.
 */
async function polledDaily<Tenant extends string>(
  ports: QuotaPorts<Tenant>,
  tenant: Tenant,
): Promise<number | undefined> {
  const fitting = contractsThatFit(await ports.getCadences(), tenant);
  return fitting === undefined ? undefined : mostContracts(fitting, ports.configuredCadenceMinutes);
}
