import * as z from 'zod';
import { Channel } from '#shared/domain/channels/channel.ts';
import { defined } from '#shared/domain/defined.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import type { Page } from '#shared/domain/page.ts';
import { AlertRule } from '#shared/domain/rules/alert-rule.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { beginningWith, type Item, type Key, type Table } from './table.ts';

/** Watchlists, one document each; deleted ones stay as tombstones. */
export type WatchlistStore = {
  /** Also a tombstone: its revision counts. */
  readonly get: (id: WatchlistId) => Promise<Watchlist | undefined>;
  /** Writes a revision where the one before it is still in the table. */
  readonly put: (list: Watchlist) => Promise<void>;
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

    put: async ({ tenant, id, revision, ...attributes }) => {
      await table.put({ ...keyOf({ tenant, id }), ...attributes, version: revision }, revision - 1);
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

function listIdOf({ pk, sk }: Key): WatchlistId {
  return { tenant: pk.slice('TENANT#'.length), id: sk.slice('LIST#'.length) };
}

const WatchlistItem = z.object({
  version: z.int(),
  deleted: z.boolean(),
  change: z.string().optional(),
  name: z.string(),
  members: z.array(
    z.object({ contract: ContractKey, name: z.string().optional(), joined: z.int() }),
  ),
  rules: z.array(
    z
      .looseObject({ id: z.string(), since: z.int(), noDataSince: z.int().optional() })
      .transform(({ since, noDataSince, ...rule }, context) => {
        const parsed = AlertRule.safeParse(rule);
        if (parsed.success) {
          return defined({ ...parsed.data, id: rule.id, since, noDataSince });
        }
        context.issues.push({ code: 'custom', input: rule, message: parsed.error.message });
        return z.NEVER;
      }),
  ),
  channels: z.array(Channel),
});

function fromItem(item: Item): Watchlist {
  const { version, ...list } = WatchlistItem.parse(item);
  return { ...listIdOf(item), revision: version, ...list };
}

function keyOf({ tenant, id }: WatchlistId): Key {
  return { pk: `TENANT#${tenant}`, sk: `LIST#${id}` };
}
