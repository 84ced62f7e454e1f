import * as z from 'zod';
import { Actor } from '#shared/domain/access/actor.ts';
import { defined } from '#shared/domain/defined.ts';
import { JsonText } from '#shared/domain/json-text.ts';
import { DAY, SECOND } from '#shared/domain/market/instant.ts';
import type { ReadPage } from '#shared/domain/unreadable.ts';
import {
  type Change,
  type ChangedDocument,
  ChangeKind,
  WatchlistEdit,
} from '#shared/domain/watchlists/change.ts';
import { readEach, readItem } from './read-item.ts';
import { beginningWith, type Item, type Table } from './table.ts';

/** Each tenant's audit log. */
export type ChangeStore = {
  readonly get: (change: ChangeName) => Promise<Change | undefined>;
  readonly put: (change: Change) => Promise<void>;
  readonly getDocument: (change: ChangeName) => Promise<ChangedDocument | undefined>;
  readonly putDocument: (changed: ChangedDocument) => Promise<void>;
  /** Newest first. */
  readonly ofTenant: (
    tenant: string,
    limit: number,
    after: string | undefined,
  ) => Promise<ReadPage<Change>>;
};

type ChangeName = Pick<Change, 'tenant' | 'id'>;

/** As long as the alerts that came of it. */
const KEPT_DAYS = 400;

export function createChangeStore(table: Table): ChangeStore {
  return {
    get: async (name) => {
      const item = await table.get(keyOf(name));
      return item === undefined ? undefined : fromItem(item);
    },

    put: async ({ tenant, id, ...change }) => {
      await table.put({ ...keyOf({ tenant, id }), ...change, ttl: endOf(change) });
    },

    getDocument: async (name) => {
      const item = await table.get(documentKeyOf(name));
      if (item === undefined) return undefined;
      const { tenant, id } = name;
      return defined({ tenant, id, ...readItem('changedDocument', DocumentItem, item) });
    },

    // As text: what a document holds is no matter of later versions.
    putDocument: async ({ tenant, id, at, document, previous }) => {
      const text = document === undefined ? {} : { document: JSON.stringify(document) };
      await table.put({
        ...documentKeyOf({ tenant, id }),
        at,
        previous,
        ...text,
        ttl: endOf({ at }),
      });
    },

    ofTenant: async (tenant, limit, after) => {
      const { entries, next } = await table.query({
        pk: `CHANGES#${tenant}`,
        range: beginningWith(CHANGE),
        descending: true,
        limit,
        after,
      });
      return {
        ...readEach(entries, fromItem, ({ sk }, reason) => ({
          kind: 'change',
          id: sk.slice(CHANGE.length),
          reason,
        })),
        ...(next === undefined ? {} : { next }),
      };
    },
  };
}

const CHANGE = 'CHANGE#';

function endOf({ at }: Pick<Change, 'at'>): number {
  return Math.floor((at + KEPT_DAYS * DAY) / SECOND);
}

export const DocumentItem = z.object({
  at: z.int(),
  previous: z.string().optional(),
  document: JsonText.pipe(z.record(z.string(), z.unknown())).optional(),
});

export const ChangeItem = z.object({
  watchlist: z.string(),
  at: z.int(),
  by: Actor,
  kind: ChangeKind,
  revision: z.int().optional(),
  edit: WatchlistEdit.optional(),
  subject: z.string().optional(),
  prepared: z.boolean().optional(),
});

function fromItem(item: Item): Change {
  const [tenant, id] = [item.pk.slice('CHANGES#'.length), item.sk.slice(CHANGE.length)];
  return defined({ tenant, id, ...readItem('change', ChangeItem, item) });
}

function keyOf({ tenant, id }: ChangeName) {
  return { pk: `CHANGES#${tenant}`, sk: `${CHANGE}${id}` };
}

/** Apart from the log, which is read in pages. */
function documentKeyOf({ tenant, id }: ChangeName) {
  return { pk: `CHANGES#${tenant}`, sk: `DOCUMENT#${id}` };
}
