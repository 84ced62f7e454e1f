import * as z from 'zod';
import { Channel } from '#shared/channels/channel.ts';
import { defined } from '#shared/domain/defined.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { WalletAddress } from '#shared/domain/market/wallet.ts';
import { omit } from '#shared/domain/omit.ts';
import { AlertRule } from '#shared/domain/rules/alert-rule.ts';
import type { ReadPage } from '#shared/domain/unreadable.ts';
import { keptHeldMembers } from '#shared/domain/watchlists/holding.ts';
import { ReportTimes } from '#shared/domain/watchlists/list-report.ts';
import { Escalation, NotifiedBySeverity } from '#shared/domain/watchlists/notified.ts';
import { Quiet } from '#shared/domain/watchlists/quiet-hours.ts';
import type {
  Member,
  Salvaged,
  Watchlist,
  WatchlistId,
} from '#shared/domain/watchlists/watchlist.ts';
import { expectKnownShape, readEach, readItem } from './read-item.ts';
import type { Item, Key, Table, Write } from './table.ts';

/** Watchlists, one document each. A deleted list remains as a tombstone. */
export type WatchlistStore = {
  /** Also returns tombstones, because a new list with the same id continues their revisions. */
  readonly get: (id: WatchlistId) => Promise<Watchlist | undefined>;
  /** Writes a revision if the stored one is its predecessor. */
  readonly put: (list: Watchlist) => Promise<void>;
  /** The lists with names given by people, without the list of contact points. */
  readonly ofTenant: (
    tenant: string,
    limit: number,
    after: string | undefined,
  ) => Promise<ReadPage<Watchlist>>;
  /**
   * The readable parts of an unreadable list, from which it can be repaired; undefined if its
   * revision cannot be read. Throws UnreadableError for a newer shape, whose attributes may have
   * another meaning.
   */
  readonly salvage: (id: WatchlistId) => Promise<Salvaged | undefined>;
};

/** Keys of the lists whose ids people can choose. */
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
      const {
        version: revision,
        deleted,
        change,
        name,
        wallet,
        holdings,
        value,
        ...parts
      } = legible;
      return {
        list: {
          ...{ ...id, revision, deleted, change, name },
          ...(wallet && { wallet }),
          ...(value && { value }),
          members: withHeld(
            parts.members.filter((member) => member !== undefined),
            holdings,
          ),
          rules: parts.rules.filter((rule) => rule !== undefined),
          channels: parts.channels.filter((channel) => channel !== undefined),
          contactPoints: parts.contactPoints.filter((name) => name !== undefined),
        },
        hasAllMembers: !parts.members.includes(undefined),
      };
    },
  };
}

/** The write that replaces the previous revision. */
export function writeOfWatchlist({ tenant, id, revision, members, ...attributes }: Watchlist) {
  const holdings = members.flatMap(holdingItems);
  return {
    put: {
      ...{ ...keyOf({ tenant, id }), ...attributes, version: revision },
      members: members.map((member) => omit(member, 'amount', 'cost', 'holdingSince')),
      ...(holdings.length === 0 ? {} : { holdings }),
    },
    version: revision - 1,
  } satisfies Write;
}

function listIdOf({ pk, sk }: Key): WatchlistId {
  return { tenant: pk.slice('TENANT#'.length), id: sk.slice('LIST#'.length) };
}

const ListMember = z.lazy(() =>
  z.strictObject({
    contract: ContractKey,
    name: z.string().optional(),
    joined: z.int(),
    by: z.literal('wallet').optional(),
  }),
);

const ListValue = z.lazy(() => z.object({ contract: ContractKey, joined: z.int() }));

const SomeMembers = z.lazy(() => z.object({ count: z.int(), names: z.array(z.string()) }));
const ListWallet = z.lazy(() =>
  z.object({
    address: WalletAddress,
    isPending: z.boolean(),
    leftOut: z.int(),
    last: z
      .object({ revision: z.int(), at: z.int(), joined: SomeMembers, left: SomeMembers })
      .optional(),
  }),
);

/**
 * The holding of a member. Holdings are not stored in the members, because older versions reject
 * members with unknown attributes.
 */
const HoldingItem = z.lazy(() =>
  z.object({
    contract: ContractKey,
    ...keptHeldMembers,
    since: z.int().optional(),
  }),
);

function holdingItems({ contract, amount, cost, holdingSince: since }: Member) {
  const held = defined({ amount, cost, since });
  return Object.keys(held).length === 0 ? [] : [{ contract, ...held }];
}

function withHeld(
  members: readonly Member[],
  holdings: readonly z.output<typeof HoldingItem>[] = [],
): readonly Member[] {
  const held = new Map(holdings.map((item) => [item.contract, item]));
  return members.map((member) => {
    const { amount, cost, since: holdingSince } = held.get(member.contract) ?? {};
    return { ...member, ...defined({ amount, cost, holdingSince }) };
  });
}

export const ListRule = z.lazy(() =>
  z
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
    }),
);

export const WatchlistItem = z.lazy(() =>
  z.object({
    version: z.int(),
    deleted: z.boolean(),
    deletedAt: z.int().optional(),
    change: z.string().optional(),
    name: z.string(),
    wallet: ListWallet.optional(),
    members: z.array(ListMember),
    holdings: z.array(HoldingItem).optional(),
    value: ListValue.optional(),
    rules: z.array(ListRule),
    channels: z.array(Channel),
    contactPoints: z.array(z.string()),
    notify: NotifiedBySeverity.optional(),
    escalate: Escalation.optional(),
    timeZone: z.string().optional(),
    quiet: Quiet.optional(),
    report: ReportTimes.optional(),
  }),
);

function fromItem(item: Item): Watchlist {
  const { version, members, holdings, ...list } = readItem('watchlist', WatchlistItem, item);
  return { ...listIdOf(item), revision: version, ...list, members: withHeld(members, holdings) };
}

/** An array with undefined for each unreadable entry. Any other value becomes `[undefined]`. */
const legible = <Part extends z.ZodType>(part: Part) =>
  z.array(part.optional().catch(undefined)).catch([undefined]);

/** A list with unreadable parts. */
const LegibleList = z.lazy(() =>
  z.object({
    version: z.int(),
    deleted: z.boolean().catch(false),
    change: z.string().optional().catch(undefined),
    name: z.string().catch(''),
    wallet: ListWallet.optional().catch(undefined),
    members: legible(ListMember),
    holdings: z.array(HoldingItem).optional().catch(undefined),
    value: ListValue.optional().catch(undefined),
    rules: legible(ListRule),
    channels: legible(Channel),
    contactPoints: legible(z.string()),
  }),
);

function keyOf({ tenant, id }: WatchlistId): Key {
  return { pk: `TENANT#${tenant}`, sk: `LIST#${id}` };
}
