import type { Actor } from '#shared/domain/access/actor.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { type Change, type ChangeKind, changeId } from '#shared/domain/watchlists/change.ts';
import type { Mutes } from '#shared/domain/watchlists/mute.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { orUnreadable } from './or-unreadable.ts';

/** What belongs to a tenant; of a request the tenant is a type of its own, that of its caller. */
export type Of<Tenant extends string, Thing extends { readonly tenant: string }> = Thing & {
  readonly tenant: Tenant;
};

export type RecordChangePorts<Tenant extends string> = {
  readonly getChange: (
    change: Of<Tenant, Pick<Change, 'tenant' | 'id'>>,
  ) => Promise<Change | undefined>;
  readonly putChange: (change: Of<Tenant, Change>) => Promise<void>;
  readonly report: (
    event: 'change_not_committed',
    fields: Readonly<Record<string, unknown>>,
  ) => void;
};

/** The audit log entry of a change that is about to be made. */
export function changeNow<Tenant extends string>(
  { newVersion, now }: { readonly newVersion: () => number; readonly now: () => Instant },
  { tenant, id: watchlist }: Of<Tenant, WatchlistId>,
  by: Actor,
  kind: ChangeKind,
  more: Pick<Change, 'revision' | 'edit' | 'subject'> = {},
): Of<Tenant, Change> {
  const at = now();
  return { tenant, watchlist, id: changeId(at, newVersion()), at, by, kind, ...more };
}

/**
 * Makes a change and records it in the audit log: the entry is `prepared`, the change
 * is made in one write that names the entry, and the entry is committed. So a change that is made
 * is in the log, and a refused one is not, even if the work is cut short. The next change of the
 * same thing first commits a prepared entry; until then the thing itself names it.
 */
export async function recordChange<Tenant extends string>(
  ports: RecordChangePorts<Tenant>,
  change: Of<Tenant, Change>,
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

async function commit<Tenant extends string>(
  ports: RecordChangePorts<Tenant>,
  name: Of<Tenant, Pick<Change, 'tenant' | 'id'>>,
): Promise<void> {
  const known = await ports.getChange(name);
  if (known?.prepared !== true) return;
  const { prepared: _, ...change } = known;
  await ports.putChange({ ...change, tenant: name.tenant });
}

type ReadMadePorts<Tenant extends string> = Pick<RecordChangePorts<Tenant>, 'getChange'> & {
  readonly getWatchlist: (id: Of<Tenant, WatchlistId>) => Promise<Watchlist | undefined>;
  readonly getMutes: (list: Of<Tenant, WatchlistId>) => Promise<Mutes>;
};

/** The changes among some that were made. */
export async function madeOf<Tenant extends string>(
  ports: ReadMadePorts<Tenant>,
  changes: readonly Of<Tenant, Change>[],
): Promise<readonly Of<Tenant, Change>[]> {
  const made = await Promise.all(
    changes.map(async (change) => !change.prepared || (await isMade(ports, change))),
  );
  return changes.filter((_, index) => made[index]);
}

/**
 * Whether a prepared change was made: the changed thing names it, or a later change of that thing
 * has committed it.
 */
async function isMade<Tenant extends string>(
  ports: ReadMadePorts<Tenant>,
  change: Of<Tenant, Change>,
): Promise<boolean> {
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
