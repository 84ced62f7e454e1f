import * as z from 'zod';
import { Channel } from '#shared/channels/channel.ts';
import { defined } from '#shared/domain/defined.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { WalletAddress } from '#shared/domain/market/wallet.ts';
import { AlertRule } from '#shared/domain/rules/alert-rule.ts';
import type { ReadPage } from '#shared/domain/unreadable.ts';
import { ReportTimes } from '#shared/domain/watchlists/list-report.ts';
import { Escalation, NotifiedBySeverity } from '#shared/domain/watchlists/notified.ts';
import { Quiet } from '#shared/domain/watchlists/quiet-hours.ts';
import type { Salvaged, Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { expectKnownShape, readEach, readItem } from './read-item.ts';
import type { Item, Key, Table, Write } from './table.ts';

/** Watchlists, one document each; deleted ones stay as tombstones. */
export type WatchlistStore = {
  /** Also a tombstone: its revision counts. */
  readonly get: (id: WatchlistId) => Promise<Watchlist | undefined>;
  /** Writes a revision where the one before it is still in the table. */
  readonly put: (list: Watchlist) => Promise<void>;
  /** Those that people have named; not that of the contact points. */
  readonly ofTenant: (
    tenant: string,
    limit: number,
    after: string | undefined,
  ) => Promise<ReadPage<Watchlist>>;
  /**
   * The legible parts of an unreadable list, for its replacement; undefined if not even its revision
   * is legible. UnreadableError if it is of a newer shape: what its parts mean is not known.
   */
  readonly salvage: (id: WatchlistId) => Promise<Salvaged | undefined>;
};

/** The lists whose ids people can give. */
const GIVEN_IDS = { from: 'LIST#', to: 'LIST#z\uffff' };

export function createWatchlistStore(table: Table): WatchlistStore {
  return {
    get: async (id) => {
      const item = await table.get(keyOf(id));
      return item === undefined ? undefined : fromItem(item);
    },

    put: async (list) => {
      const { put, version } = writeOfWatchlist(list);
      await table.put(put, version);
    },

    ofTenant: async (tenant, limit, after) => {
      const { entries, next } = await table.query({
        pk: `TENANT#${tenant}`,
        range: GIVEN_IDS,
        limit,
        after,
      });
      const page = readEach(entries, fromItem, (item, reason) => ({ item, reason }));
      return {
        entries: page.entries,
        unreadable: page.unreadable.flatMap(({ item, reason }) =>
          item.deleted === true ? [] : [{ kind: 'watchlist', id: listIdOf(item).id, reason }],
        ),
        ...defined({ next }),
      };
    },

    salvage: async (id) => {
      const item = await table.get(keyOf(id));
      if (item !== undefined) expectKnownShape('watchlist', item);
      const legible = LegibleList.safeParse(item).data;
      if (legible === undefined) return undefined;
      const { version: revision, deleted, change, name, wallet, ...parts } = legible;
      return {
        list: {
          ...{ ...id, revision, deleted, change, name },
          ...(wallet && { wallet }),
          members: parts.members.filter((member) => member !== undefined),
          rules: parts.rules.filter((rule) => rule !== undefined),
          channels: parts.channels.filter((channel) => channel !== undefined),
          contactPoints: parts.contactPoints.filter((name) => name !== undefined),
        },
        hasAllMembers: !parts.members.includes(undefined),
      };
    },
  };
}

/** The write of a revision in the place of the one before it. */
export function writeOfWatchlist({ tenant, id, revision, ...attributes }: Watchlist) {
  return {
    put: { ...keyOf({ tenant, id }), ...attributes, version: revision },
    version: revision - 1,
  } satisfies Write;
}

function listIdOf({ pk, sk }: Key): WatchlistId {
  return { tenant: pk.slice('TENANT#'.length), id: sk.slice('LIST#'.length) };
}

const ListMember = z.strictObject({
  contract: ContractKey,
  name: z.string().optional(),
  joined: z.int(),
  by: z.literal('wallet').optional(),
});

const SomeMembers = z.object({ count: z.int(), names: z.array(z.string()) });
const ListWallet = z.object({
  address: WalletAddress,
  isPending: z.boolean(),
  leftOut: z.int(),
  last: z
    .object({ revision: z.int(), at: z.int(), joined: SomeMembers, left: SomeMembers })
    .optional(),
});

export const ListRule = z
  .looseObject({ id: z.string(), since: z.int(), noDataSince: z.int().optional() })
  .transform(({ since, noDataSince, ...rule }, context) => {
    const parsed = AlertRule.safeParse(rule);
    if (parsed.success) return defined({ ...parsed.data, id: rule.id, since, noDataSince });
    for (const issue of parsed.error.issues) {
      const at = { path: [...issue.path], input: rule };
      context.issues.push(
        issue.code === 'unrecognized_keys'
          ? { ...at, code: issue.code, keys: issue.keys }
          : { ...at, code: 'custom', message: issue.message },
      );
    }
    return z.NEVER;
  });

export const WatchlistItem = z.object({
  version: z.int(),
  deleted: z.boolean(),
  deletedAt: z.int().optional(),
  change: z.string().optional(),
  name: z.string(),
  wallet: ListWallet.optional(),
  members: z.array(ListMember),
  rules: z.array(ListRule),
  channels: z.array(Channel),
  contactPoints: z.array(z.string()),
  notify: NotifiedBySeverity.optional(),
  escalate: Escalation.optional(),
  timeZone: z.string().optional(),
  quiet: Quiet.optional(),
  report: ReportTimes.optional(),
});

function fromItem(item: Item): Watchlist {
  const { version, ...list } = readItem('watchlist', WatchlistItem, item);
  return { ...listIdOf(item), revision: version, ...list };
}

/** Those of an array that can be read; one that is none has one entry that cannot. */
const legible = <Part extends z.ZodType>(part: Part) =>
  z.array(part.optional().catch(undefined)).catch([undefined]);

/** A list as far as it can be read. */
const LegibleList = z.lazy(() =>
  z.object({
    version: z.int(),
    deleted: z.boolean().catch(false),
    change: z.string().optional().catch(undefined),
    name: z.string().catch(''),
    wallet: ListWallet.optional().catch(undefined),
    members: legible(ListMember),
    rules: legible(ListRule),
    channels: legible(Channel),
    contactPoints: legible(z.string()),
  }),
);

function keyOf({ tenant, id }: WatchlistId): Key {
  return { pk: `TENANT#${tenant}`, sk: `LIST#${id}` };
}
