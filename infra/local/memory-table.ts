import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import type { BulkTable } from '#shared/stores/bulk-table.ts';
import { type Item, type Key, type Range, wholeItem } from '#shared/stores/table.ts';
import { createSortedTexts, type SortedTexts } from './sorted-texts.ts';

export type MemoryTable = BulkTable & { readonly items: () => readonly Item[] };

/** The table in memory, with the conditions, orders, pages and refusals of the real one. */
export function createMemoryTable(): MemoryTable {
  const items = new Map<string, Item>();
  const orders = new Map<string, SortedTexts>();
  const orderOf = (name: string) => {
    const order = orders.get(name) ?? createSortedTexts();
    orders.set(name, order);
    return order;
  };

  const replace = (key: Key, next: Item | undefined, version: number | undefined) => {
    const path = joined(key.pk, key.sk);
    const found = items.get(path);
    const unchanged = version === 0 ? found === undefined : found?.version === version;
    if (version !== undefined && !unchanged) throw new VersionConflictError(`${key.pk} ${key.sk}`);
    const [left, taken] = [placesOf(found), placesOf(next)];
    for (const [order, place] of left) {
      if (taken.get(order) !== place) orderOf(order).remove(place);
    }
    for (const [order, place] of taken) {
      if (left.get(order) !== place) orderOf(order).add(place);
    }
    if (next === undefined) items.delete(path);
    else items.set(path, next);
  };

  return {
    items: () => [...items.values()],

    get: async ({ pk, sk }) => {
      expectKeys({ pk, sk });
      return items.get(joined(pk, sk));
    },

    put: async (item, version) => replace(item, asStored(wholeItem(item)), version),

    delete: async ({ pk, sk }, version) => {
      expectKeys({ pk, sk });
      replace({ pk, sk }, undefined, version);
    },

    getAll: async (keys) =>
      eachOnce(keys).flatMap(({ pk, sk }) => {
        const item = items.get(joined(pk, sk));
        return item === undefined ? [] : [item];
      }),

    putAll: async (all) => {
      for (const item of eachOnce(all)) replace(item, asStored(item), undefined);
    },

    deleteAll: async (keys) => {
      for (const key of eachOnce(keys)) replace(key, undefined, undefined);
    },

    query: async ({ pk, range, limit, descending = false, after }) => {
      const within = { from: inByteOrder(range.from), to: inByteOrder(range.to) };
      const start = after && inByteOrder(after);
      const places = placesWithin(orderOf(`sk ${pk}`), within, start, descending);
      const entries = places.take(limit).map((place) => items.get(joined(pk, asWritten(place))));
      const kept = [...entries.filter((item) => item !== undefined)];
      const last = kept.length === limit ? kept.at(-1) : undefined;
      const isEnd = last?.sk === (descending ? range.from : range.to);
      return { entries: kept, ...(last && !isEnd && { next: last.sk }) };
    },

    queryThresholdIndex: async ({ index, pk, range: { from, to }, limit, after }) => {
      const range = { from: inByteOrder(from), to: joined(inByteOrder(to), '\uffff') };
      const start = after && joined(inByteOrder(after.position), inByteOrder(after.sk));
      const places = placesWithin(orderOf(`${index} ${pk}`), range, start, false);
      const kept = [...places.take(limit)].map((place) => {
        const [position = '', sk = ''] = place.split(SEPARATOR).map(asWritten);
        return { position, sk };
      });
      const last = kept.length === limit ? kept.at(-1) : undefined;
      return { entries: kept.map(({ sk }) => ({ pk, sk })), ...(last && { next: last }) };
    },

    due: async (shard, until, limit, after) => {
      const range = { from: sortable(0), to: joined(sortable(until), '\uffff') };
      const start = after && duePlace(after.dueAt, after);
      const places = placesWithin(orderOf(`due ${shard}`), range, start, false);
      return [...places.take(limit)].map((place) => {
        const [dueAt, pk = '', sk = ''] = place.split(SEPARATOR).map(asWritten);
        return { pk, sk, dueAt: Number(dueAt) };
      });
    },
  };
}

/** What the service says of a request that names a key twice. */
function eachOnce<Named extends Key>(named: readonly Named[]): readonly Named[] {
  const paths = new Set(named.map(({ pk, sk }) => joined(pk, sk)));
  if (paths.size < named.length) throw new RangeError('a key stands twice in a request');
  return named;
}

/** Sorts before everything that a key contains. */
const SEPARATOR = '\0';
const joined = (...parts: readonly string[]) => parts.join(SEPARATOR);
const sortable = (instant: number) => String(instant).padStart(16, '0');

/**
 * An item's place in each order it stands in, by the order's name: its partition, the threshold
 * indexes, what is due.
 */
function placesOf(item: Item | undefined): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  if (item === undefined) return places;
  const { pk, sk, falling, rising, dueShard, dueAt } = item;
  const place = inByteOrder(sk);
  places.set(`sk ${pk}`, place);
  for (const [thresholdIndex, position] of Object.entries({ falling, rising })) {
    if (typeof position !== 'string') continue;
    places.set(`${thresholdIndex} ${pk}`, joined(inByteOrder(position), place));
  }
  if (typeof dueShard === 'string' && typeof dueAt === 'number') {
    places.set(`due ${dueShard}`, duePlace(dueAt, item));
  }
  return places;
}

function duePlace(dueAt: number, { pk, sk }: Key): string {
  return joined(sortable(dueAt), inByteOrder(pk), inByteOrder(sk));
}

/** Halves of pairs, and what lies behind them for JavaScript and before them for DynamoDB. */
const OUT_OF_ORDER = /[\ud800-\uffff]/g;

/** A text whose place among others is the one that its bytes in UTF-8 have. */
function inByteOrder(text: string): string {
  return text.replace(OUT_OF_ORDER, (unit) =>
    String.fromCharCode(unit.charCodeAt(0) + (unit < '\ue000' ? 0x2000 : -0x800)),
  );
}

function asWritten(place: string): string {
  return place.replace(OUT_OF_ORDER, (unit) =>
    String.fromCharCode(unit.charCodeAt(0) + (unit < '\uf800' ? 0x800 : -0x2000)),
  );
}

function placesWithin(
  order: SortedTexts,
  { from, to }: Range,
  after: string | undefined,
  descending: boolean,
): IteratorObject<string> {
  if (from === '' || from > to) throw new RangeError(`no range: from "${from}" to "${to}"`);
  if (after === undefined) return Iterator.from(order.between(from, to, descending));
  if (after < from || after > to) throw new RangeError(`"${after}" is outside of the range`);
  const [low, high] = descending ? [from, after] : [after, to];
  return Iterator.from(order.between(low, high, descending)).filter((place) => place !== after);
}

/** What an item is found by, in the table or in an index. */
const KEYS = ['pk', 'sk', 'falling', 'rising', 'dueShard'];
/** In bytes; the table takes partition keys of twice that, and we make none. */
const LONGEST_KEY = 1024;

function expectKeys(item: Item): void {
  for (const name of KEYS) {
    const key = item[name];
    if (typeof key !== 'string') continue;
    if (key === '') throw new RangeError(`${name} is never empty`);
    if (3 * key.length > LONGEST_KEY && Buffer.byteLength(key) > LONGEST_KEY) {
      throw new RangeError(`${name} is longer than ${LONGEST_KEY} bytes`);
    }
  }
}

/**
 * What is read back of an item: undefined is left out everywhere, and what is no data is refused.
 * It is frozen, so that every reader can be given the same.
 */
function asStored(item: Item): Item {
  expectKeys(item);
  return Object.freeze({ ...membersAsStored(item), pk: item.pk, sk: item.sk });
}

function membersAsStored(members: object): Record<string, unknown> {
  const reported: [string, unknown][] = [];
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined) reported.push([name, valueAsStored(value)]);
  }
  return Object.freeze(Object.fromEntries(reported));
}

function valueAsStored(value: unknown): unknown {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    return Object.freeze(value.filter((entry) => entry !== undefined).map(valueAsStored));
  }
  if (typeof value === 'object' && value !== null) {
    // The SDK takes a map that names a constructor for no map, and drops a prototype.
    for (const name of ['constructor', '__proto__']) {
      if (Object.hasOwn(value, name)) throw new RangeError(`no member is named ${name}`);
    }
    return membersAsStored(value);
  }
  const exact = typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (typeof value === 'bigint' || !exact) throw new RangeError(`${value} is not kept exactly`);
  return value;
}
