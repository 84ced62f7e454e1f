import { type Alert, alertId, NO_PRICE } from '#shared/domain/alerting/alert.ts';
import { fact } from '#shared/domain/alerting/alert-words.ts';
import { defang } from '#shared/domain/alerting/defang.ts';
import { formatInstant } from '#shared/domain/market/instant.ts';
import type { ListWallet, MembersChange, SomeMembers } from './wallet-members.ts';
import type { WatchlistId } from './watchlist.ts';

/**
 * The alert about the members that a list's wallet added or removed. Repeated calls return an alert
 * with the same id.
 */
export function membersAlert(
  { tenant, id }: WatchlistId,
  { address, leftOut }: ListWallet,
  { revision, at: changedAt, joined, left }: MembersChange,
): Alert {
  const at = formatInstant(changedAt);
  const news = [
    ...(joined.count === 0 ? [] : [`${collections(joined.count)} added`]),
    ...(left.count === 0 ? [] : [`${collections(left.count)} removed`]),
  ];
  return {
    ...NO_PRICE,
    // No rule can have this id, because it contains spaces.
    id: alertId(
      { tenant, list: id, rule: 'members of wallet', contract: null },
      revision,
      'members',
    ),
    ...{ kind: 'members', tenant, watchlist: id, dataTime: at, at, severity: 'info' },
    title: `Watchlist "${id}": ${news.join(', ')}`,
    facts: [
      ...fact('Added', namesOf(joined)),
      ...fact('Removed', namesOf(left)),
      ...fact(
        'Not watched',
        leftOut === 0
          ? undefined
          : `${leftOut} ${leftOut === 1 ? 'collection' : 'collections'} of the wallet (a contract limit is reached, or there is no price)`,
      ),
      ...fact('Wallet', address),
    ],
  };
}

function collections(count: number): string {
  return count === 1 ? '1 collection' : `${count} collections`;
}

function namesOf({ count, names }: SomeMembers): string | undefined {
  if (count === 0) return undefined;
  const others = count - names.length;
  return `${names.map(defang).join(', ')}${others === 0 ? '' : ` and ${others} more`}`;
}
