import { contractsThatFit, mostContracts } from '#shared/domain/polling/cadences.ts';
import { orUnreadable } from '#shared/domain/unreadable.ts';
import { retryingConflicts } from '#shared/domain/version-conflict.ts';
import {
  type Holdings,
  holdingOf,
  QuotaError,
  quotaIssue,
  recounted,
  withSetAside,
  withSettled,
} from '#shared/domain/watchlists/holdings.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import type { CallerTenant, Own } from '#shared/http/caller.ts';
import type { ManageWatchlistsPorts } from './ports.ts';

/** So many changes of a tenant's other lists may be quicker. */
const ATTEMPTS = 20;

/**
 * Sets aside what a change adds to what its tenant holds, before anything of the change is written:
 * so the limits hold whoever else is at it. QuotaError where one would be passed.
 */
export async function setAside(
  ports: ManageWatchlistsPorts,
  before: Watchlist | undefined,
  after: Own<Watchlist>,
): Promise<void> {
  await retryingConflicts(async () => {
    const holdings = await withRoomFor(ports, before, after);
    if (holdings !== undefined) await ports.putHoldings(holdings);
  }, ATTEMPTS);
}

/**
 * What a tenant would hold with a change; undefined where that adds nothing. QuotaError where it
 * would pass a limit.
 */
export async function withRoomFor(
  ports: ManageWatchlistsPorts,
  before: Watchlist | undefined,
  after: Own<Watchlist>,
): Promise<Holdings | undefined> {
  const [had, has] = [holdingOf(before, ports.now()), holdingOf(after, ports.now())];
  if (has === undefined) return undefined;
  const grows = had === undefined || has.contracts > had.contracts || has.watches > had.watches;
  if (!grows) return undefined;
  const [known, polled] = await Promise.all([
    ports.getHoldings(after.tenant),
    polledDaily(ports, after.tenant),
  ]);
  const next = withSetAside(known, had, has);
  if (quotaIssue(known, next, polled) === undefined) return next;
  const exact = await recount(ports, after.tenant, known);
  const issue = quotaIssue(exact, withSetAside(exact, had, has), polled);
  if (issue !== undefined) throw new QuotaError(issue);
  return withSetAside(exact, had, has);
}

/** How many contracts of a tenant can be polled once a day; undefined before the first tick. */
async function polledDaily(
  ports: ManageWatchlistsPorts,
  tenant: CallerTenant,
): Promise<number | undefined> {
  const fitting = contractsThatFit(await ports.getCadences(), tenant);
  return fitting === undefined ? undefined : mostContracts(fitting, ports.configuredCadenceMinutes);
}

/**
 * Gives back what a change has freed. Where it is cut short, a recount makes up for it when it
 * matters.
 */
export async function giveBack(
  ports: ManageWatchlistsPorts,
  before: Watchlist | undefined,
  after: Own<Watchlist>,
): Promise<void> {
  const [had, has] = [holdingOf(before, ports.now()), holdingOf(after, ports.now())];
  const shrinks =
    had !== undefined &&
    (has === undefined ||
      before?.salvagedOn !== undefined ||
      has.contracts < had.contracts ||
      has.watches < had.watches);
  if (!shrinks) return;
  try {
    await retryingConflicts(async () => {
      const known = await ports.getHoldings(after.tenant);
      const settled = withSettled(known, after, has);
      if (settled !== known) await ports.putHoldings(settled);
    }, ATTEMPTS);
  } catch (error) {
    // The change itself is made.
    ports.report('holdings_not_given_back', { tenant: after.tenant, list: after.id, error });
  }
}

async function recount(
  ports: ManageWatchlistsPorts,
  tenant: CallerTenant,
  holdings: Holdings,
): Promise<Holdings> {
  const { lists } = holdings;
  const found = await Promise.all(
    lists.map(({ list }) =>
      orUnreadable({ kind: 'watchlist', id: list }, () => ports.getWatchlist({ tenant, id: list })),
    ),
  );
  return recounted(holdings, found, ports.now());
}
