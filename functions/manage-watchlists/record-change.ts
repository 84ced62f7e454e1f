import type { Instant } from '#shared/domain/market/instant.ts';
import { orUnreadable } from '#shared/domain/unreadable.ts';
import {
  type Actor,
  type Change,
  type ChangeKind,
  changeId,
} from '#shared/domain/watchlists/change.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { Own } from '#shared/http/caller.ts';
import type { ManageWatchlistsPorts } from './ports.ts';

type OwnChange = Own<Change>;

/** A change that somebody makes now. */
export function changeNow(
  { newVersion, now }: { readonly newVersion: () => number; readonly now: () => Instant },
  { tenant, id: watchlist }: Own<WatchlistId>,
  by: Actor,
  kind: ChangeKind,
  more: Pick<Change, 'revision' | 'edit' | 'subject'> = {},
): OwnChange {
  const at = now();
  return { tenant, watchlist, id: changeId(at, newVersion()), at, by, kind, ...more };
}

/**
 * Has a change stand in the audit log when it is made, and not when it is refused, whatever is cut
 * short: it is announced, then made in one write that names it, then reported. Whoever changes the
 * same thing next first makes up for what was cut short; until then the thing itself reports.
 */
export async function recordChange(
  ports: ManageWatchlistsPorts,
  change: OwnChange,
  last: Change['id'] | undefined,
  make: () => Promise<void>,
): Promise<void> {
  if (last !== undefined) await tell(ports, { tenant: change.tenant, id: last });
  await ports.putChange({ ...change, announced: true });
  await make();
  try {
    await ports.putChange(change);
  } catch (error) {
    const { tenant, watchlist: list, id } = change;
    ports.report('change_not_committed', { tenant, list, change: id, error });
  }
}

async function tell(
  ports: ManageWatchlistsPorts,
  name: Own<Pick<Change, 'tenant' | 'id'>>,
): Promise<void> {
  const known = await ports.getChange(name);
  if (known?.announced !== true) return;
  const { announced: _, ...change } = known;
  await ports.putChange({ ...change, tenant: name.tenant });
}

/** Those of some changes that have been made. */
export async function madeOf(
  ports: ManageWatchlistsPorts,
  changes: readonly OwnChange[],
): Promise<readonly OwnChange[]> {
  const made = await Promise.all(
    changes.map(async (change) => !change.announced || (await isMade(ports, change))),
  );
  return changes.filter((_, index) => made[index]);
}

/**
 * Whether a change that is only announced has been made: what it has changed names it or, where
 * that was changed again since, it has been reported before that.
 */
async function isMade(ports: ManageWatchlistsPorts, change: OwnChange): Promise<boolean> {
  const { tenant, watchlist: id, kind } = change;
  const list = { tenant, id };
  const isOfMutes = kind === 'mute_made' || kind === 'mute_lifted';
  // Of what cannot be read nobody knows which change was its last.
  const { found: thing } = await orUnreadable({ kind: 'watchlist', id }, async () =>
    isOfMutes ? await ports.getMutes(list) : await ports.getWatchlist(list),
  );
  if (thing?.change === change.id) return true;
  const now = await ports.getChange(change);
  return now !== undefined && !now.announced;
}
