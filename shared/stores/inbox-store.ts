import * as z from 'zod';
import { AlertKind, byPlace } from '#shared/domain/alerting/alert.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import {
  type Answered,
  entryName,
  type HeldEntry,
  type Hold,
  type InboxEntry,
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

/** What waits for each destination, in the order of sending. */
export type InboxStore = {
  readonly put: (entry: InboxEntry) => Promise<void>;
  /**
   * Gives an entry its place among the held ones, then removes it from the old one. After a crash it
   * may stand in both: a transaction would double the writes of a burst.
   */
  readonly hold: (entry: InboxEntry, hold: Hold) => Promise<void>;
  /**
   * Removes an entry together with the outcome of its alert and the channel's record, in one
   * transaction, or VersionConflictError.
   */
  readonly settle: (
    record: ChannelRecord,
    entry: InboxEntry,
    outcome: Outcome,
  ) => Promise<ChannelRecord>;
  /** An entry that is gone already is as good. */
  readonly remove: (entry: InboxEntry | MutedEntry) => Promise<void>;
  /** The entries of muted watches, a page at a time. */
  readonly muted: (
    destinationId: DestinationId,
    after?: string,
  ) => Promise<Page<MutedEntry, string>>;
  /** The entry of a muted watch, unless it is unreadable. */
  readonly mutedOf: (
    destinationId: DestinationId,
    watch: string,
  ) => Promise<MutedEntry | undefined>;
  /**
   * Puts entries into those of their muted watches, together with the channel's record and the outcomes
   * of alerts that are only counted from now on. All of it is one transaction, or VersionConflictError:
   * no alert is counted twice or lost, and each mute has its end on the record.
   */
  readonly mute: (
    record: ChannelRecord,
    entries: readonly InboxEntry[],
    muted: readonly MutedEntry[],
    counted: readonly Answered[],
  ) => Promise<ChannelRecord>;
  /** Lets go of a muted watch. */
  readonly unmute: (entry: MutedEntry, now: Instant, isBeforeUrgent?: boolean) => Promise<void>;
  /**
   * The next entries to be sent, so many: urgent ones, then held ones whose hold has ended, then the
   * others; each rank oldest first. One that cannot be read stays, is named, and holds up no other;
   * it is in none of the other answers.
   */
  readonly next: (
    destinationId: DestinationId,
    limit: number,
    now: Instant,
  ) => Promise<NextEntries & { readonly unreadable: readonly string[] }>;
  /** The oldest entries of any rank, so many; with `before`, those of alerts made before. */
  readonly oldest: (
    destinationId: DestinationId,
    limit: number,
    before?: string,
  ) => Promise<readonly InboxEntry[]>;
  /** The entries of those names that still exist, in the order of the names. */
  readonly named: (
    destinationId: DestinationId,
    names: readonly string[],
  ) => Promise<readonly InboxEntry[]>;
};

/** An entry never changes. */
const VERSION = 1;

/** Behind every moment. */
const LATEST = '9\uffff';

export function createInboxStore(table: Table): InboxStore {
  return {
    put: async (entry) => await table.put(inboxItem(entry)),

    hold: async (entry, hold) => {
      const held = { ...entry, held: hold };
      await table.put(inboxItem(held));
      if (entryName(held) !== entryName(entry)) await table.delete(keyOf(entry), VERSION);
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
        // The record's version keeps other workers out.
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

/** The entry of a muted watch: its key does not name its last alert, and it changes with each. */
export const MutedItem = InboxItem.extend({
  heldBack: HeldBackItem,
  version: z.int(),
  last: AlertName,
  until: z.int(),
});

/** Entries of muted watches that are read at a time. */
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
  return { pk: partitionOf(entry.destinationId), sk: entryName(entry) };
}

function partitionOf(destinationId: DestinationId): string {
  return `INBOX#${destinationId}`;
}
