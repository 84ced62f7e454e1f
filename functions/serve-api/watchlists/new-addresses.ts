import { LIMITS } from '#shared/domain/limits.ts';
import { formatInstant, SECOND } from '#shared/domain/market/instant.ts';
import { QuotaError } from '#shared/domain/watchlists/quota-usage.ts';
import type { Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import type { Own } from '#shared/http/caller.ts';
import type { ManageWatchlistsPorts } from './ports.ts';

/**
 * Charges new email addresses of a change to the daily allowance of the tenant, because each
 * address gets an unsolicited confirmation mail. Throws QuotaError if the allowance is used up.
 */
export async function takeNewAddresses(
  ports: Pick<ManageWatchlistsPorts, 'now' | 'getAddress' | 'takeAddresses'>,
  before: Watchlist | undefined,
  after: Own<Watchlist>,
): Promise<void> {
  const had = new Set(emailsOf(before));
  const added = [...new Set(emailsOf(after))].filter((address) => !had.has(address));
  const known = await Promise.all(added.map((address) => ports.getAddress(after.tenant, address)));
  const strangers = known.filter((address) => address === undefined).length;
  if (strangers === 0) return;
  const enoughInSeconds = await ports.takeAddresses(after.tenant, strangers);
  if (enoughInSeconds === undefined) return;
  const from = formatInstant(ports.now() + enoughInSeconds * SECOND);
  const expected = `expected at most ${LIMITS.tenant.newAddresses} new email addresses a day`;
  const found = `this change adds ${strangers}, more than are left now`;
  throw new QuotaError(`${expected}; ${found}; repeat the change after ${from}`);
}

function emailsOf(list: Watchlist | undefined): readonly string[] {
  return (list?.channels ?? []).flatMap((channel) => (channel.kind === 'email' ? channel.to : []));
}
