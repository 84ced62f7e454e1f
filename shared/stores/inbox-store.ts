import * as z from 'zod';
import { AlertKind, byPlace } from '#shared/domain/alerting/alert.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import {
  type Answered,
  type HeldEntry,
  type Hold,
  type InboxEntry,
  inboxSortKey,
  MUTED,
  type MutedEntry,
  type NextEntries,
  namedEntry,
  type Outcome,
  RANKS,
  unmuted,
} from '#shared/domain/channels/alert-record.ts';
import type { ChannelRecord } from '#shared/domain/channels/channel-record.ts';
import { defined } from '#shared/domain/defined.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Page } from '#shared/domain/page.ts';
import { Severity } from '#shared/domain/rules/severity.ts';
import { channelItem, nextChannel } from './channel-store.ts';
import { AlertName, HeldBackItem } from './held-back-item.ts';
import { outcomeItem } from './outcome-item.ts';
import { readEach, readItem } from './read-item.ts';
import { beginningWith, type Item, type Key, queryAll, type Table } from './table.ts';

/** The alerts that wait for each destination, in sending order. */
export type InboxStore = {
  readonly put: (entry: InboxEntry) => Promise<void>;
  /**
   * Moves an entry to the held entries: writes the new entry, then removes the old one. After a
   * crash both entries may exist. A transaction would prevent this, but it would double the write
   * cost of a burst.
   */
  readonly hold: (entry: InboxEntry, hold: Hold) => Promise<void>;
  /**
   * Removes an entry and writes the outcome of its alert and the channel's record in one
   * transaction. Throws VersionConflictError on a conflict.
   */
  readonly settle: (
    record: ChannelRecord,
    entry: InboxEntry,
    outcome: Outcome,
  ) => Promise<ChannelRecord>;
  /** A missing entry is not an error. */
  readonly remove: (entry: InboxEntry | MutedEntry) => Promise<void>;
  /** A page of the entries of muted watches. */
  readonly muted: (
    destinationId: DestinationId,
    after?: string,
  ) => Promise<Page<MutedEntry, string>>;
  /** The entry of a muted watch; also undefined if the entry is unreadable. */
  readonly mutedOf: (
    destinationId: DestinationId,
    watch: string,
  ) => Promise<MutedEntry | undefined>;
  /**
   * Moves entries into the entries of their muted watches. Also writes the channel's record, with
   * the end of the mutes, and the outcomes of alerts that are now only counted. All writes are in
   * one transaction, so no alert is lost or counted twice. Throws VersionConflictError on a
   * conflict.
   */
  readonly mute: (
    record: ChannelRecord,
    entries: readonly InboxEntry[],
    muted: readonly MutedEntry[],
    counted: readonly Answered[],
  ) => Promise<ChannelRecord>;
  /** Releases the entry of a muted watch for sending. */
  readonly unmute: (entry: MutedEntry, now: Instant, isBeforeUrgent?: boolean) => Promise<void>;
  /**
   * The next entries to send: urgent entries, then entries whose hold has ended, then the others;
   * each group oldest first. An unreadable entry stays in the inbox and is only reported here, so
   * it does not block other entries.
   */
  readonly next: (
    destinationId: DestinationId,
    limit: number,
    now: Instant,
  ) => Promise<NextEntries & { readonly unreadable: readonly string[] }>;
  /** The oldest entries of any rank. With `before`, only entries of earlier alerts. */
  readonly oldest: (
    destinationId: DestinationId,
    limit: number,
    before?: string,
  ) => Promise<readonly InboxEntry[]>;
  /** The entries with these sort keys that still exist, in the order of the keys. */
  readonly named: (
    destinationId: DestinationId,
    names: readonly string[],
  ) => Promise<readonly InboxEntry[]>;
};

/** Entries never change, so all have the same version. */
const VERSION = 1;

/** Sorts after every timestamp. */
const LATEST = '9\uffff';

export function createInboxStore(table: Table): InboxStore {
  return {
    put: async (entry) => await table.put(inboxItem(entry)),

    hold: async (entry, hold) => {
      const held = { ...entry, held: hold };
      await table.put(inboxItem(held));
      if (inboxSortKey(held) !== inboxSortKey(entry)) await table.delete(keyOf(entry), VERSION);
    },

    settle: async (record, entry, outcome) => {
      const next = nextChannel(record);
      await table.transact([
        { put: channelItem(next), version: record.version },
        { put: outcomeItem(entry.alert, entry.destinationId, outcome) },
        { delete: keyOf(entry), version: VERSION },
      ]);
      return next;
    },

    remove: (entry) => table.delete(keyOf(entry), 'version' in entry ? entry.version : VERSION),

    muted: async (destinationId, after) => {
      const { entries, next } = await table.query({
        ...{ pk: partitionOf(destinationId), range: beginningWith(MUTED), limit: PAGE, after },
      });
      return {
        entries: readEach(entries, (item) => mutedFromItem(destinationId, item), unreadable)
          .entries,
        ...defined({ next }),
      };
    },

    mutedOf: async (destinationId, watch) => {
      const item = await table.get({ pk: partitionOf(destinationId), sk: `${MUTED}${watch}` });
      const items = item === undefined ? [] : [item];
      return readEach(items, (one) => mutedFromItem(destinationId, one), unreadable).entries[0];
    },

    mute: async (record, entries, muted, counted) => {
      const next = nextChannel(record);
      await table.transact([
        { put: channelItem(next), version: record.version },
        // The condition on the version of the channel's record excludes other workers.
        ...muted.map((entry) => ({ put: mutedItem(entry) })),
        ...entries.map((entry) => ({ delete: keyOf(entry), version: VERSION })),
        ...counted.map(({ entry: { alert, destinationId }, outcome }) => ({
          put: outcomeItem(alert, destinationId, outcome),
        })),
      ]);
      return next;
    },

    unmute: async (entry, now, isBeforeUrgent) =>
      await table.transact([
        { put: inboxItem(unmuted(entry, now, isBeforeUrgent)) },
        { delete: keyOf(entry), version: entry.version },
      ]),

    next: async (destinationId, limit, now) => {
      const illegible = new Set<string>();
      const from = async (begin: string, most: number) => {
        const range = { from: begin, to: `${RANKS.at(-1)}${LATEST}` };
        const found: InboxEntry[] = [];
        let after: string | undefined;
        do {
          const limited = { range, limit: most - found.length, after };
          const page = await table.query({ pk: partitionOf(destinationId), ...limited });
          const read = readSome(destinationId, page.entries);
          found.push(...read.entries);
          for (const name of read.unreadable) illegible.add(name);
          after = page.next;
        } while (after !== undefined && found.length < most);
        return found;
      };
      const all = await from(RANKS[0], limit);
      const isHeld = (entry: InboxEntry): entry is HeldEntry =>
        entry.held !== undefined && entry.held.until > now;
      const held = all.filter(isHeld);
      if (held.length === 0 || all.length < limit) {
        const entries = all.filter((entry) => !isHeld(entry));
        return { entries, held, unreadable: [...illegible] };
      }
      const due = all.slice(0, all.findIndex(isHeld));
      const others = await from(RANKS[2], limit - due.length);
      return { entries: [...due, ...others], held, unreadable: [...illegible] };
    },

    oldest: async (destinationId, limit, before = LATEST) => {
      const pages = await Promise.all(
        RANKS.map((rank) => {
          const range = { from: rank, to: `${rank}${before}` };
          return table.query({ pk: partitionOf(destinationId), range, limit });
        }),
      );
      return pages
        .flatMap(({ entries }) => readSome(destinationId, entries).entries)
        .toSorted((a, b) => byPlace(a.alert, b.alert))
        .slice(0, limit);
    },

    named: async (destinationId, names) => {
      const [from, to] = [names.at(0), names.at(-1)];
      if (from === undefined || to === undefined) return [];
      const wanted = new Set(names);
      const items = await queryAll(table, partitionOf(destinationId), { from, to });
      const found = items.filter(({ sk }) => wanted.has(sk));
      return readSome(destinationId, found).entries;
    },
  };
}

export function inboxItem(entry: InboxEntry): Item {
  const { destinationId: _place, alert, isUrgent: _rank, held: _until, ...about } = entry;
  const { tenant, watchlist } = alert;
  return { ...keyOf(entry), ...{ tenant, watchlist, ...about }, version: VERSION };
}

export const InboxItem = z.object({
  tenant: z.string(),
  watchlist: z.string(),
  kind: AlertKind,
  severity: Severity,
  rule: z.string().optional(),
  contract: ContractKey.optional(),
  episode: z.string().optional(),
  postedAt: z.int(),
  heldBack: HeldBackItem.optional(),
});

/**
 * The entry of a muted watch, which each alert of the watch updates. The key contains no alert, so
 * `last` names the newest one.
 */
export const MutedItem = InboxItem.extend({
  heldBack: HeldBackItem,
  version: z.int(),
  last: AlertName,
  until: z.int(),
});

/** Page size of the entries of muted watches. */
const PAGE = 100;

function mutedItem({ version, held: { until }, ...entry }: MutedEntry): Item {
  const { destinationId: _place, alert, isUrgent: _rank, ...about } = entry;
  const { tenant, watchlist, at, id } = alert;
  const known = { tenant, watchlist, last: { at, id }, until, ...about };
  const held: Hold = { for: 'mute', until };
  return { ...keyOf({ ...entry, held }), ...known, version: version + 1 };
}

function mutedFromItem(destinationId: DestinationId, item: Item): MutedEntry {
  const { tenant, watchlist, last, until, ...about } = readItem('mutedEntry', MutedItem, item);
  const alert = { tenant, watchlist, ...last };
  return { destinationId, alert, isUrgent: false, held: { for: 'mute', until }, ...about };
}

function readSome(destinationId: DestinationId, items: readonly Item[]) {
  return readEach(items, (item) => fromItem(destinationId, item), unreadable);
}

function unreadable({ sk }: Item): string {
  return sk;
}

function fromItem(destinationId: DestinationId, item: Item): InboxEntry {
  const { tenant, watchlist, ...about } = readItem('inboxEntry', InboxItem, item);
  return { destinationId, ...namedEntry(item.sk, { tenant, watchlist }), ...about };
}

function keyOf(entry: InboxEntry): Key {
  return { pk: partitionOf(entry.destinationId), sk: inboxSortKey(entry) };
}

function partitionOf(destinationId: DestinationId): string {
  return `INBOX#${destinationId}`;
}
