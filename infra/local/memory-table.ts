import type { BulkTable } from '#shared/stores/bulk-table.ts';
import type { Item, Key, Range } from '#shared/stores/table.ts';
import { accessByKey } from './access-by-key.ts';
import { asWritten, expectRange, inByteOrder } from './byte-order.ts';
import { createSortedTexts, type SortedTexts } from './sorted-texts.ts';

export type MemoryTable = BulkTable & { readonly items: () => readonly Item[] };

/** An in-memory table with DynamoDB's conditions, sort orders, pages and errors. */
export function createMemoryTable(): MemoryTable {
  const partitions = new Map<string, Map<string, Item>>();
  const orders = new Map<string, SortedTexts>();
  const orderOf = (name: string) => {
    const order = orders.get(name) ?? createSortedTexts();
    orders.set(name, order);
    return order;
  };

  const find = ({ pk, sk }: Key) => partitions.get(pk)?.get(sk);

  const replace = (key: Key, next: Item | undefined) => {
    const partition = partitions.get(key.pk) ?? new Map<string, Item>();
    partitions.set(key.pk, partition);
    const found = partition.get(key.sk);
    const [left, taken] = [placesOf(found), placesOf(next)];
    for (const [order, place] of left) {
      if (taken.get(order) !== place) orderOf(order).remove(place);
    }
    for (const [order, place] of taken) {
      if (left.get(order) !== place) orderOf(order).add(place);
    }
    if (next === undefined) partition.delete(key.sk);
    else partition.set(key.sk, next);
    if (partition.size === 0) partitions.delete(key.pk);
  };

  return {
    items: () => [...partitions.values()].flatMap((partition) => [...partition.values()]),

    // An in-memory change cannot fail, so there is no rollback.
    ...accessByKey({ find, findVersion: find, replace, together: (work) => work() }),

    query: async ({ pk, range, limit, descending = false, after }) => {
      const within = { from: inByteOrder(range.from), to: inByteOrder(range.to) };
      const start = after && inByteOrder(after);
      const places = placesWithin(orderOf(`sk ${pk}`), within, start, descending);
      const partition = partitions.get(pk);
      const entries = places.take(limit).map((place) => partition?.get(asWritten(place)));
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

/** Sorts before every character of a key. */
const SEPARATOR = '\0';
const joined = (...parts: readonly string[]) => parts.join(SEPARATOR);
const sortable = (instant: number) => String(instant).padStart(16, '0');

/**
 * The position of an item in each sort order, by the name of the order: its partition, the local
 * indexes, and the index `due`.
 */
function placesOf(item: Item | undefined): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  if (item === undefined) return places;
  const { pk, sk, falling, rising, wakes, dueShard, dueAt } = item;
  const place = inByteOrder(sk);
  places.set(`sk ${pk}`, place);
  for (const [index, position] of Object.entries({ falling, rising, wakes })) {
    if (typeof position !== 'string') continue;
    places.set(`${index} ${pk}`, joined(inByteOrder(position), place));
  }
  if (typeof dueShard === 'string' && typeof dueAt === 'number') {
    places.set(`due ${dueShard}`, duePlace(dueAt, item));
  }
  return places;
}

function duePlace(dueAt: number, { pk, sk }: Key): string {
  return joined(sortable(dueAt), inByteOrder(pk), inByteOrder(sk));
}

function placesWithin(
  order: SortedTexts,
  { from, to }: Range,
  after: string | undefined,
  descending: boolean,
): IteratorObject<string> {
  expectRange({ from, to }, after);
  if (after === undefined) return Iterator.from(order.between(from, to, descending));
  const [low, high] = descending ? [from, after] : [after, to];
  return Iterator.from(order.between(low, high, descending)).filter((place) => place !== after);
}
