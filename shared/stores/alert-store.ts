import * as z from 'zod';
import {
  Alert,
  type AlertKey,
  alertAt,
  alertName,
  alertSortKey,
} from '#shared/domain/alerting/alert.ts';
import { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import {
  type AlertRecord,
  inboxEntries,
  type Outcome,
  type PostedAlert,
  withOutcomes,
} from '#shared/domain/channels/alert-record.ts';
import { defined } from '#shared/domain/defined.ts';
import { omit } from '#shared/domain/omit.ts';
import type { ReadPage, Unreadable } from '#shared/domain/unreadable.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { inboxItem } from './inbox-store.ts';
import {
  OUTCOME,
  outcomeFromItem,
  outcomeItem,
  outcomeKeyOf,
  outcomesIn,
  partitionOf,
  ttlOf,
} from './outcome-item.ts';
import { readEach, readItem } from './read-item.ts';
import { beginningWith, type Item, type Key, queryAll, type Table, type Write } from './table.ts';

/** Both instants are inclusive; `after` is the sort key of the last alert on the previous page. */
type AlertQuery = {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly limit: number;
  readonly after: string | undefined;
  /** Sorts the oldest alerts first. */
  readonly ascending?: boolean | undefined;
};

export type AlertStore = {
  /**
   * Posts an alert: writes it together with its entry in the inbox of each destination. Throws
   * VersionConflictError if it is posted already.
   */
  readonly post: (posted: PostedAlert) => Promise<void>;
  readonly getPosted: (key: AlertKey) => Promise<PostedAlert | undefined>;
  /** An alert with the outcomes at its destinations. */
  readonly get: (key: AlertKey) => Promise<AlertRecord | undefined>;
  readonly getOutcome: (
    key: AlertKey,
    destinationId: DestinationId,
  ) => Promise<Outcome | undefined>;
  /** Writes an outcome without a version check: each destination has only one worker. */
  readonly putOutcome: (
    key: AlertKey,
    destinationId: DestinationId,
    outcome: Outcome,
  ) => Promise<void>;
  /** Alerts between two instants, newest first by default. */
  readonly ofList: (list: WatchlistId, query: AlertQuery) => Promise<ReadPage<AlertRecord>>;
};

export function createAlertStore(table: Table): AlertStore {
  const getPosted = async (key: AlertKey) => {
    const item = await table.get(keyOf(key));
    return item === undefined ? undefined : fromItem(item);
  };
  return {
    post: async (posted) => await table.transact(postingWrites(posted)),

    getPosted,

    get: async (key) => {
      const place = beginningWith(`${OUTCOME}${alertSortKey(key)}#`);
      const [posted, items] = await Promise.all([
        getPosted(key),
        queryAll(table, partitionOf(key), place),
      ]);
      return posted && withOutcomes(posted, outcomesIn(items));
    },

    getOutcome: async (key, destinationId) => {
      const item = await table.get(outcomeKeyOf(key, destinationId));
      return item === undefined ? undefined : outcomeFromItem(item);
    },

    putOutcome: async (key, destinationId, outcome) =>
      await table.put(outcomeItem(key, destinationId, outcome)),

    ofList: async ({ tenant, id }, { from = '', to = '', limit, after, ascending }) => {
      const pk = partitionOf({ tenant, watchlist: id });
      const { entries, next } = await table.query({
        pk,
        range: { from: `${ALERT}${from}`, to: beginningWith(`${ALERT}${to}`).to },
        descending: ascending !== true,
        limit,
        after,
      });
      const places = entries.map(({ sk }) => sk.slice(ALERT.length)).toSorted();
      const [first, last] = [places.at(0), places.at(-1)];
      const outcomes =
        first === undefined || last === undefined
          ? []
          : await queryAll(table, pk, {
              from: `${OUTCOME}${first}#`,
              to: beginningWith(`${OUTCOME}${last}#`).to,
            });
      const ofPlace = Map.groupBy(outcomes, ({ sk }) => sk.slice(0, sk.lastIndexOf('#')));
      const joined = (item: Item) => {
        const known = ofPlace.get(`${OUTCOME}${item.sk.slice(ALERT.length)}`) ?? [];
        return withOutcomes(fromItem(item), outcomesIn(known));
      };
      return {
        ...readEach(entries, joined, unreadableAlert),
        ...defined({ next }),
      };
    },
  };
}

/** The writes that post an alert: the alert, and its entry in the inbox of each destination. */
export function postingWrites(posted: PostedAlert): readonly Write[] {
  const entries = inboxEntries(posted).map((entry) => ({ put: inboxItem(entry) }));
  return [{ put: toItem(posted), version: 0 }, ...entries];
}

const ALERT = 'ALERT#';

export const AlertItem = z.lazy(() =>
  z.object({
    version: z.int(),
    alert: Alert,
    postedAt: z.int(),
    seenAt: z.int().optional(),
    destinations: z.array(DestinationId),
  }),
);

function toItem(posted: PostedAlert): Item {
  return { ...keyOf(posted.alert), ...posted, version: 1, ttl: ttlOf(posted.alert) };
}

function fromItem(item: Item): PostedAlert {
  const posted = omit(readItem('alert', AlertItem, item), 'version');
  return posted;
}

function unreadableAlert({ sk }: Item, reason: string): Unreadable {
  return { kind: 'alert', id: alertName(alertAt(sk.slice(ALERT.length))), reason };
}

function keyOf(alert: AlertKey): Key {
  return { pk: partitionOf(alert), sk: `${ALERT}${alertSortKey(alert)}` };
}
