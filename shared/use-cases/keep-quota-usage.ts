import type { Instant } from '#shared/domain/market/instant.ts';
import { type Cadences, contractsThatFit, mostContracts } from '#shared/domain/polling/cadences.ts';
import {
  ContactPointError,
  contractsLeft,
  isBeingDeleted,
  listUsageOf,
  QuotaError,
  type QuotaUsage,
  quotaIssue,
  recounted,
  withReserved,
  withSettled,
} from '#shared/domain/watchlists/quota-usage.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { orUnreadable } from './or-unreadable.ts';
import type { Of } from './record-change.ts';
import { retryingConflicts } from './retrying-conflicts.ts';

export type QuotaPorts<Tenant extends string> = {
  readonly now: () => Instant;
  readonly configuredCadenceMinutes: number;
  readonly getCadences: () => Promise<Cadences>;
  readonly getWatchlist: (id: Of<Tenant, WatchlistId>) => Promise<Watchlist | undefined>;
  readonly getQuotaUsage: (tenant: Tenant) => Promise<QuotaUsage>;
  readonly putQuotaUsage: (quotaUsage: QuotaUsage) => Promise<void>;
  readonly report: (
    event: 'quota_usage_not_released',
    fields: Readonly<Record<string, unknown>>,
  ) => void;
};

/** Attempts, in case of conflicts with changes of the tenant's other lists. */
export const QUOTA_ATTEMPTS = 20;

/**
 * Reserves the quota that a change adds, before anything of the change is written: so the limits
 * hold under concurrent changes. Throws QuotaError if the change would exceed one.
 */
export async function reserveQuota<Tenant extends string>(
  ports: QuotaPorts<Tenant>,
  before: Watchlist | undefined,
  after: Of<Tenant, Watchlist>,
): Promise<void> {
  await retryingConflicts(async () => {
    const quotaUsage = await withRoomFor(ports, before, after);
    if (quotaUsage !== undefined) await ports.putQuotaUsage(quotaUsage);
  }, QUOTA_ATTEMPTS);
}

/**
 * The tenant's quota usage with a change; undefined if the change adds nothing. Throws QuotaError
 * if it would exceed a limit.
 */
export async function withRoomFor<Tenant extends string>(
  ports: QuotaPorts<Tenant>,
  before: Watchlist | undefined,
  after: Of<Tenant, Watchlist>,
): Promise<QuotaUsage | undefined> {
  const [had, has] = [listUsageOf(before, ports.now()), listUsageOf(after, ports.now())];
  if (has === undefined) return undefined;
  const begun = has.contactPoints.filter((name) => !had?.contactPoints.includes(name));
  const grows =
    had === undefined ||
    has.contracts > had.contracts ||
    has.watches > had.watches ||
    begun.length > 0;
  if (!grows) return undefined;
  const [known, polled] = await Promise.all([
    ports.getQuotaUsage(after.tenant),
    polledDaily(ports, after.tenant),
  ]);
  const deleted = known.withdrawn.find(
    (other) => begun.includes(other.name) && isBeingDeleted(other, ports.now()),
  );
  if (deleted !== undefined) {
    throw new ContactPointError(`the contact point "${deleted.name}" is being deleted`, 'conflict');
  }
  const next = withReserved(known, had, has);
  if (quotaIssue(known, next, polled) === undefined) return next;
  const exact = await recount(ports, after.tenant, known);
  const issue = quotaIssue(exact, withReserved(exact, had, has), polled);
  if (issue !== undefined) throw new QuotaError(issue);
  return withReserved(exact, had, has);
}

/** How many contracts the limits of its tenant leave to a list. */
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

/**
 * Releases the quota that a change has freed. If this is cut short, a recount corrects it before a
 * change is refused.
 */
export async function releaseQuota<Tenant extends string>(
  ports: QuotaPorts<Tenant>,
  before: Watchlist | undefined,
  after: Of<Tenant, Watchlist>,
): Promise<void> {
  const [had, has] = [listUsageOf(before, ports.now()), listUsageOf(after, ports.now())];
  const shrinks =
    had !== undefined &&
    (has === undefined ||
      before?.salvagedOn !== undefined ||
      has.contracts < had.contracts ||
      has.watches < had.watches ||
      had.contactPoints.some((name) => !has.contactPoints.includes(name)));
  if (!shrinks) return;
  try {
    await retryingConflicts(async () => {
      const known = await ports.getQuotaUsage(after.tenant);
      const settled = withSettled(known, after, has);
      if (settled !== known) await ports.putQuotaUsage(settled);
    }, QUOTA_ATTEMPTS);
  } catch (error) {
    // The change itself is made: this is no failure of the request.
    ports.report('quota_usage_not_released', { tenant: after.tenant, list: after.id, error });
  }
}

/** The quota usage by the lists themselves. */
export async function recount<Tenant extends string>(
  ports: QuotaPorts<Tenant>,
  tenant: Tenant,
  quotaUsage: QuotaUsage,
): Promise<QuotaUsage> {
  const { lists } = quotaUsage;
  const found = await Promise.all(
    lists.map(({ list }) =>
      orUnreadable({ kind: 'watchlist', id: list }, () => ports.getWatchlist({ tenant, id: list })),
    ),
  );
  return recounted(quotaUsage, found, ports.now());
}
