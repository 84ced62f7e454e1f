import * as z from 'zod';
import { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { AlertRule } from '#shared/domain/watching/alert-rule.ts';
import type { Watchlist } from '#shared/domain/watching/watchlist.ts';
import { appointment } from './appointment.ts';
import { beginningWith, type Item, type Key, type Page, type Table } from './table.ts';

export type WatchlistId = { readonly tenant: string; readonly id: string };

/** Watchlists, one document each; deleted ones stay as tombstones. */
export type WatchlistStore = {
  /** Also a tombstone: its revision counts. */
  readonly get: (id: WatchlistId) => Promise<Watchlist | undefined>;
  /** Writes a revision where the one before it is still in the table, with its next appointment. */
  readonly put: (list: Watchlist, dueAt: Instant | undefined) => Promise<void>;
  readonly ofTenant: (
    tenant: string,
    limit: number,
    after: string | undefined,
  ) => Promise<Page<Watchlist, string>>;
};

export function createWatchlistStore(table: Table): WatchlistStore {
  return {
    get: async (id) => {
      const item = await table.get(keyOf(id));
      return item === undefined ? undefined : fromItem(item);
    },

    put: async (list, dueAt) => {
      const key = keyOf(list);
      const { tenant: _tenant, id: _id, revision, ...attributes } = list;
      const item: Item = { ...key, ...attributes, version: revision };
      await table.put({ ...item, ...appointment(key, dueAt) }, revision - 1);
    },

    ofTenant: async (tenant, limit, after) => {
      const { entries, next } = await table.query({
        pk: `TENANT#${tenant}`,
        range: beginningWith('LIST#'),
        limit,
        after,
      });
      return { entries: entries.map(fromItem), ...(next === undefined ? {} : { next }) };
    },
  };
}

/** The list that a key is of. */
export function listIdOf({ pk, sk }: Key): WatchlistId {
  return { tenant: pk.slice('TENANT#'.length), id: sk.slice('LIST#'.length) };
}

const WatchlistItem = z.object({
  version: z.int(),
  deleted: z.boolean(),
  name: z.string(),
  members: z.array(
    z.object({ contract: ContractKey, name: z.string().optional(), joined: z.int() }),
  ),
  rules: z.array(
    z.looseObject({ id: z.string(), since: z.int() }).transform(({ since, ...rule }, context) => {
      const parsed = AlertRule.safeParse(rule);
      if (parsed.success) return { ...parsed.data, id: rule.id, since };
      context.issues.push({ code: 'custom', input: rule, message: parsed.error.message });
      return z.NEVER;
    }),
  ),
  channels: z.array(z.object({ id: z.string(), kind: z.literal('email'), to: z.string() })),
});

function fromItem(item: Item): Watchlist {
  const { version, ...list } = WatchlistItem.parse(item);
  return { ...listIdOf(item), revision: version, ...list };
}

function keyOf({ tenant, id }: WatchlistId): Key {
  return { pk: `TENANT#${tenant}`, sk: `LIST#${id}` };
}
