import { CONTACT_POINTS } from '#shared/domain/watchlists/contact-points.ts';
import {
  ContactPointError,
  usersOf,
  withoutWithdrawn,
  withWithdrawn,
} from '#shared/domain/watchlists/quota-usage.ts';
import type { CallerTenant } from '#shared/http/caller.ts';
import { QUOTA_ATTEMPTS, recount } from '#shared/use-cases/keep-quota-usage.ts';
import { retryingConflicts } from '#shared/use-cases/retrying-conflicts.ts';
import type { ManageWatchlistsPorts } from './ports.ts';

const MOST_NAMED = 5;

/**
 * Keeps lists from beginning to use a contact point that is about to be deleted; throws
 * ContactPointError if one uses it. A list reserves its use in the same item before the list is
 * written, and reads the contact points after that, so one of the two requests sees the other.
 */
export async function withdrawContactPoint(
  ports: ManageWatchlistsPorts,
  tenant: CallerTenant,
  name: string,
): Promise<void> {
  await retryingConflicts(async () => {
    const known = await ports.getQuotaUsage(tenant);
    const isUsed = usersOf(known, name).length > 0;
    const quotaUsage = isUsed ? await recount(ports, tenant, known) : known;
    const users = usersOf(quotaUsage, name);
    if (users.length > 0) throw new ContactPointError(inUse(name, users), 'in_use');
    await ports.putQuotaUsage(withWithdrawn(quotaUsage, name, ports.now()));
  }, QUOTA_ATTEMPTS);
}

/** Lets lists use a contact point of the name again, once the former one is deleted. */
export async function settleWithdrawal(
  ports: ManageWatchlistsPorts,
  tenant: CallerTenant,
  name: string,
): Promise<void> {
  try {
    await retryingConflicts(async () => {
      await ports.putQuotaUsage(withoutWithdrawn(await ports.getQuotaUsage(tenant), name));
    }, QUOTA_ATTEMPTS);
  } catch (error) {
    // The contact point is deleted: this is no failure of the request, and ends by itself.
    ports.report('quota_usage_not_released', { tenant, list: CONTACT_POINTS, error });
  }
}

function inUse(name: string, users: readonly string[]): string {
  const some = users.slice(0, MOST_NAMED).map((id) => `"${id}"`);
  const more = users.length > MOST_NAMED ? ` and ${users.length - MOST_NAMED} more` : '';
  return `watchlists use the contact point "${name}": ${some.join(', ')}${more}; take it off their channels first`;
}
