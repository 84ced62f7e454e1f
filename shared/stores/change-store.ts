import * as z from 'zod';
import { Actor } from '#shared/domain/access/actor.ts';
import { defined } from '#shared/domain/defined.ts';
import { JsonText } from '#shared/domain/json-text.ts';
import { DAY, formatInstant, type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { Page } from '#shared/domain/page.ts';
import { type ReadPage, UnreadableError } from '#shared/domain/unreadable.ts';
import {
  type Change,
  type ChangedDocument,
  ChangeKind,
  WatchlistEdit,
} from '#shared/domain/watchlists/change.ts';
import { readEach, readItem } from './read-item.ts';
import { beginningWith, type Item, type Table, type Write } from './table.ts';

/** The audit logs of tenants. */
export type ChangeStore = {
  readonly get: (change: ChangeName) => Promise<Change | undefined>;
  readonly put: (change: Change) => Promise<void>;
  readonly getDocument: (change: ChangeName) => Promise<ChangedDocument | undefined>;
  /** The changes before `now`, newest first. */
  readonly ofTenant: (
    tenant: string,
    now: Instant,
    limit: number,
    after: string | undefined,
  ) => Promise<ReadPage<Change>>;
};

type ChangeName = Pick<Change, 'tenant' | 'id'>;

/** Retention in days, the same as that of alerts. */
const KEPT_DAYS = 400;

export function createChangeStore(table: Table): ChangeStore {
  return {
    get: async (name) => {
      const item = await table.get(keyOf(name));
      return item === undefined ? undefined : fromItem(item);
    },

    put: async (change) => await table.put(writeOfChange(change).put),

    getDocument: async (name) => {
      const item = await table.get(documentKeyOf(name));
      if (item === undefined) return undefined;
      const { tenant, id } = name;
      const { document: text, ...read } = readItem('changedDocument', DocumentItem, item);
      const document = text === undefined ? undefined : unpacked(item, text);
      return defined({ tenant, id, ...read, document });
    },

    ofTenant: async (tenant, now, limit, after) => {
      const { entries, next } = await newestOf(table, tenant, monthsUntil(now), { limit, after });
      return {
        ...readEach(entries, fromItem, ({ sk }, reason) => ({
          kind: 'change',
          id: sk.slice(CHANGE.length),
          reason,
        })),
        ...defined({ next }),
      };
    },
  };
}

export function writeOfChange({ tenant, id, ...change }: Change) {
  return {
    put: { ...keyOf({ tenant, id }), ...change, ttl: endOf(change) },
  } satisfies Write;
}

/**
 * The write that stores the list as it is after a change. The document is packed text, because
 * later versions need not understand it, and a large list takes tens of kilobytes.
 */
export function writeOfDocument({ tenant, id, at, document, previous }: ChangedDocument): Write {
  const text = document === undefined ? {} : { document: packed(JSON.stringify(document)) };
  const about = { at, previous, ...text, ttl: endOf({ at }) };
  return { put: { ...documentKeyOf({ tenant, id }), ...about } };
}

const CHANGE = 'CHANGE#';

/** A page of the entries of several months. Reads only as many months as the page needs. */
async function newestOf(
  table: Table,
  tenant: string,
  months: readonly string[],
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<Page<Item, string>> {
  const entries: Item[] = [];
  const newest = after === undefined ? undefined : monthOf(after.slice(CHANGE.length));
  for (const month of months.filter((one) => newest === undefined || one <= newest)) {
    const pk = partitionOf(tenant, month);
    const asked = { pk, range: beginningWith(CHANGE), descending: true, after };
    const page = await table.query({ ...asked, limit: limit - entries.length });
    entries.push(...page.entries);
    // `next` is set whenever the page is full.
    if (page.next !== undefined) return { entries, next: page.next };
  }
  return { entries };
}

/** The months with stored entries, newest first, such as `2026-11`. */
function monthsUntil(now: Instant): readonly string[] {
  const [first, last] = [new Date(now - KEPT_DAYS * DAY), new Date(now)];
  const years = last.getUTCFullYear() - first.getUTCFullYear();
  const count = 12 * years + last.getUTCMonth() - first.getUTCMonth() + 1;
  return Array.from({ length: count }, (_, back) =>
    monthOf(formatInstant(Date.UTC(last.getUTCFullYear(), last.getUTCMonth() - back))),
  );
}

/** The month of a change. Ids begin with their timestamps. */
function monthOf(id: string): string {
  return id.slice(0, MONTH.length);
}

const MONTH = '2026-11';

/**
 * Each month has a partition. A table with local indexes stores at most 10 GB in one partition and
 * rejects further writes; the changes of a busy tenant in 400 days could exceed this.
 */
function partitionOf(tenant: string, month: string): string {
  return `CHANGES#${tenant}#${month}`;
}

/** Loads zlib for the first document only, because loading it adds milliseconds to a cold start. */
const zlib = () => process.getBuiltinModule('node:zlib');

/** Larger than any document. */
const MAX_BYTES = 16 * 1024 * 1024;

function packed(text: string): string {
  return zlib().gzipSync(text).toString('base64');
}

function unpacked({ pk, sk }: Item, text: string): z.output<typeof Document> {
  const unreadable = (cause: unknown) =>
    new UnreadableError(`${pk} ${sk}`, 'unexpected value of "document"', { cause });
  try {
    const json = zlib().gunzipSync(Buffer.from(text, 'base64'), { maxOutputLength: MAX_BYTES });
    return Document.parse(json.toString());
  } catch (error) {
    throw unreadable(error);
  }
}

const Document = JsonText.pipe(z.record(z.string(), z.unknown()));

function endOf({ at }: Pick<Change, 'at'>): number {
  return Math.floor((at + KEPT_DAYS * DAY) / SECOND);
}

export const DocumentItem = z.lazy(() =>
  z.object({
    at: z.int(),
    previous: z.string().optional(),
    /** Gzipped JSON in base64. */
    document: z.string().optional(),
  }),
);

export const ChangeItem = z.lazy(() =>
  z.object({
    watchlist: z.string(),
    at: z.int(),
    by: Actor,
    kind: ChangeKind,
    revision: z.int().optional(),
    edit: WatchlistEdit.optional(),
    subject: z.string().optional(),
  }),
);

function fromItem(item: Item): Change {
  const id = item.sk.slice(CHANGE.length);
  const tenant = item.pk.slice('CHANGES#'.length, -`#${MONTH}`.length);
  return defined({ tenant, id, ...readItem('change', ChangeItem, item) });
}

function keyOf({ tenant, id }: ChangeName) {
  return { pk: partitionOf(tenant, monthOf(id)), sk: `${CHANGE}${id}` };
}

/** Documents have another prefix than entries, so that pages of the log do not read them. */
function documentKeyOf({ tenant, id }: ChangeName) {
  return { pk: partitionOf(tenant, monthOf(id)), sk: `DOCUMENT#${id}` };
}
