import * as z from 'zod';
import {
  Alert,
  type AlertKey,
  alertAt,
  alertName,
  placeOf,
} from '#shared/domain/alerting/alert.ts';
import type { AlertRecord } from '#shared/domain/channels/alert-record.ts';
import { DestinationId } from '#shared/domain/channels/destination-id.ts';
import { DAY } from '#shared/domain/market/instant.ts';
import type { ReadPage, Unreadable } from '#shared/domain/unreadable.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { readEach, readItem } from './read-item.ts';
import { beginningWith, type Item, type Key, type Table } from './table.ts';

/** Both moments are included; `after` is the place of the last alert of the page before. */
type AlertQuery = {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly limit: number;
  readonly after: string | undefined;
  /** Whether the oldest come first. */
  readonly ascending?: boolean | undefined;
};

export type AlertStore = {
  readonly get: (key: AlertKey) => Promise<AlertRecord | undefined>;
  /**
   * Writes the record while its version is still the one it carries; returns it with its new
   * version.
   */
  readonly put: (record: AlertRecord) => Promise<AlertRecord>;
  /** Newest first unless asked otherwise, between two moments. */
  readonly ofList: (list: WatchlistId, query: AlertQuery) => Promise<ReadPage<AlertRecord>>;
};

const KEPT_DAYS = 400;

export function createAlertStore(table: Table): AlertStore {
  return {
    get: async (key) => {
      const item = await table.get(keyOf(key));
      return item === undefined ? undefined : fromItem(item);
    },

    put: async (record) => {
      const written = { ...record, version: record.version + 1 };
      await table.put(toItem(written), record.version);
      return written;
    },

    ofList: async ({ tenant, id }, { from = '', to = '', limit, after, ascending }) => {
      const { entries, next } = await table.query({
        pk: `LIST#${tenant}#${id}`,
        range: { from: `${ALERT}${from}`, to: beginningWith(`${ALERT}${to}`).to },
        descending: ascending !== true,
        limit,
        after,
      });
      return {
        ...readEach(entries, fromItem, unreadableAlert),
        ...(next === undefined ? {} : { next }),
      };
    },
  };
}

const ALERT = 'ALERT#';

export const AlertItem = z.object({
  version: z.int(),
  alert: Alert,
  postedAt: z.int(),
  deliveries: z.partialRecord(
    DestinationId,
    z.discriminatedUnion('state', [
      z.object({ state: z.literal('pending') }),
      z.object({
        state: z.enum(['accepted', 'sent', 'skipped', 'failed']),
        at: z.int(),
        reason: z.string().optional(),
      }),
    ]),
  ),
});

function toItem(record: AlertRecord): Item {
  const key = keyOf(record.alert);
  const ttl = Math.floor((Date.parse(record.alert.at) + KEPT_DAYS * DAY) / 1000);
  return { ...key, ...record, ttl };
}

function fromItem(item: Item): AlertRecord {
  return readItem('alert', AlertItem, item);
}

function unreadableAlert({ sk }: Item, reason: string): Unreadable {
  return { kind: 'alert', id: alertName(alertAt(sk.slice(ALERT.length))), reason };
}

function keyOf({ tenant, watchlist, ...alert }: AlertKey): Key {
  return { pk: `LIST#${tenant}#${watchlist}`, sk: `${ALERT}${placeOf(alert)}` };
}
