import * as z from 'zod';
import { alertAt } from '#shared/domain/alerting/alert.ts';
import { entryName, type InboxEntry } from '#shared/domain/alerting/alert-record.ts';
import type { Sink } from '#shared/domain/channels/sink.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { type Item, type Key, queryAll, type Range, type Table } from './table.ts';

/** What waits for each sink, oldest alert first. */
export type InboxStore = {
  /** An entry that is there already stays as it is. */
  readonly put: (entry: InboxEntry) => Promise<void>;
  /** An entry that is gone already is as good. */
  readonly remove: (entry: InboxEntry) => Promise<void>;
  /** The oldest entries, so many; with `before`, those of alerts made before. */
  readonly oldest: (sink: Sink, limit: number, before?: string) => Promise<readonly InboxEntry[]>;
  /** The entries of those names that are still there; the names are told in order. */
  readonly named: (sink: Sink, names: readonly string[]) => Promise<readonly InboxEntry[]>;
};

/** An entry never changes. */
const VERSION = 1;

/** Every name begins with the moment of an alert. */
const ALL: Range = { from: '0', to: '9\uffff' };

export function createInboxStore(table: Table): InboxStore {
  return {
    put: async (entry) => {
      const { tenant, watchlist } = entry.alert;
      await table.put({ ...keyOf(entry), tenant, watchlist, version: VERSION });
    },

    remove: async (entry) => {
      try {
        await table.delete(keyOf(entry), VERSION);
      } catch (error) {
        if (!(error instanceof VersionConflictError)) throw error;
      }
    },

    oldest: async (sink, limit, before = ALL.to) => {
      const { entries } = await table.query({
        pk: partitionOf(sink),
        range: { from: ALL.from, to: before },
        limit,
      });
      return entries.map((item) => fromItem(sink, item));
    },

    named: async (sink, names) => {
      const [from, to] = [names.at(0), names.at(-1)];
      if (from === undefined || to === undefined) return [];
      const wanted = new Set(names);
      const items = await queryAll(table, partitionOf(sink), { from, to });
      return items.filter(({ sk }) => wanted.has(sk)).map((item) => fromItem(sink, item));
    },
  };
}

const InboxItem = z.object({ tenant: z.string(), watchlist: z.string() });

function fromItem(sink: Sink, item: Item): InboxEntry {
  const { tenant, watchlist } = InboxItem.parse(item);
  return { sink, alert: { tenant, watchlist, ...alertAt(item.sk) } };
}

function keyOf(entry: InboxEntry): Key {
  return { pk: partitionOf(entry.sink), sk: entryName(entry) };
}

function partitionOf(sink: Sink): string {
  return `INBOX#${sink}`;
}
