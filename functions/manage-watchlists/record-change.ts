import type { Instant } from '#shared/domain/market/instant.ts';
import {
  type Actor,
  type Change,
  type ChangeKind,
  changeId,
} from '#shared/domain/watchlists/change.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { Own } from '#shared/http/caller.ts';
import { orUnreadable } from '#shared/use-cases/or-unreadable.ts';
import type { ManageWatchlistsPorts } from './ports.ts';

type OwnChange = Own<Change>;

/** The audit log entry of a change that is about to be made. */
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
 * Makes a change and records it in the audit log: the entry is `prepared`, the change
 * is made in one write that names the entry, and the entry is committed. So a change that is made
 * is in the log, and a refused one is not, even if the work is cut short. The next change of the
 * same thing first commits a prepared entry; until then the thing itself names it.
 */
export async function recordChange(
  ports: ManageWatchlistsPorts,
  change: OwnChange,
  last: Change['id'] | undefined,
  make: () => Promise<void>,
): Promise<void> {
  if (last !== undefined) await commit(ports, { tenant: change.tenant, id: last });
  await ports.putChange({ ...change, prepared: true });
  await make();
  try {
    await ports.putChange(change);
  } catch (error) {
    const { tenant, watchlist: list, id } = change;
    ports.report('change_not_committed', { tenant, list, change: id, error });
  }
}

async function commit(
  ports: ManageWatchlistsPorts,
  name: Own<Pick<Change, 'tenant' | 'id'>>,
): Promise<void> {
  const known = await ports.getChange(name);
  if (known?.prepared !== true) return;
  const { prepared: _, ...change } = known;
  await ports.putChange({ ...change, tenant: name.tenant });
}

/** The changes among some that were made. */
export async function madeOf(
  ports: ManageWatchlistsPorts,
  changes: readonly OwnChange[],
): Promise<readonly OwnChange[]> {
  const made = await Promise.all(
    changes.map(async (change) => !change.prepared || (await isMade(ports, change))),
  );
  return changes.filter((_, index) => made[index]);
}

/**
 * Whether a prepared change was made: the changed thing names it, or a later change of that thing
 * has committed it.
 */
async function isMade(ports: ManageWatchlistsPorts, change: OwnChange): Promise<boolean> {
  const { tenant, watchlist: id, kind } = change;
  const list = { tenant, id };
  const isOfMutes = kind === 'mute_made' || kind === 'mute_lifted';
  // The last change of an unreadable thing is not known.
  const { found: thing } = await orUnreadable({ kind: 'watchlist', id }, async () =>
    isOfMutes ? await ports.getMutes(list) : await ports.getWatchlist(list),
  );
  if (thing?.change === change.id) return true;
  const now = await ports.getChange(change);
  return now !== undefined && !now.prepared;
}
