import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import type { Item, Key, Range, Table } from '#shared/stores/table.ts';
import { createSortedTexts, type SortedTexts } from './sorted-texts.ts';

export type MemoryTable = Table & { readonly items: () => readonly Item[] };

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

    get: async ({ pk, sk }) => items.get(joined(pk, sk)),

    put: async (item, version) => replace(item, asStored(item), version),

    delete: async (key, version) => replace(key, undefined, version),

    query: async ({ pk, range, limit, descending = false, after }) => {
      const places = placesWithin(orderOf(`sk ${pk}`), range, after, descending);
      const entries = places.take(limit).map((sk) => items.get(joined(pk, sk)));
      const kept = [...entries.filter((item) => item !== undefined)];
      const last = kept.length === limit ? kept.at(-1) : undefined;
      return { entries: kept, ...(last && { next: last.sk }) };
    },

    queryLadder: async ({ index, pk, range: { from, to }, limit, after }) => {
      const range = { from, to: joined(to, '\uffff') };
      const start = after && joined(after.position, after.sk);
      const places = placesWithin(orderOf(`${index} ${pk}`), range, start, false);
      const kept = [...places.take(limit)].map((place) => {
        const [position = '', sk = ''] = place.split(SEPARATOR);
        return { position, sk };
      });
      const last = kept.length === limit ? kept.at(-1) : undefined;
      return { entries: kept.map(({ sk }) => ({ pk, sk })), ...(last && { next: last }) };
    },

    due: async (shard, until, limit) => {
      const range = { from: sortable(0), to: joined(sortable(until), '\uffff') };
      const places = placesWithin(orderOf(`due ${shard}`), range, undefined, false);
      return [...places.take(limit)].map((place) => {
        const [, pk = '', sk = ''] = place.split(SEPARATOR);
        return { pk, sk };
      });
    },
  };
}

/** Sorts before everything that a key contains. */
const SEPARATOR = '\0';
const joined = (...parts: readonly string[]) => parts.join(SEPARATOR);
const sortable = (instant: number) => String(instant).padStart(16, '0');

/** An item's place in each order it stands in, by the order's name: its partition, the ladders, what is due. */
function placesOf(item: Item | undefined): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  if (item === undefined) return places;
  const { pk, sk, falling, rising, dueShard, dueAt } = item;
  places.set(`sk ${pk}`, sk);
  if (typeof falling === 'string') places.set(`falling ${pk}`, joined(falling, sk));
  if (typeof rising === 'string') places.set(`rising ${pk}`, joined(rising, sk));
  if (typeof dueShard === 'string' && typeof dueAt === 'number') {
    places.set(`due ${dueShard}`, joined(sortable(dueAt), pk, sk));
  }
  return places;
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

/**
 * What is read back of an item: undefined is left out everywhere, and what is no data is refused.
 * It is frozen, so that every reader can be given the same.
 */
function asStored(item: Item): Item {
  if (item.pk === '' || item.sk === '') throw new RangeError('a key is never empty');
  return Object.freeze({ ...membersAsStored(item), pk: item.pk, sk: item.sk });
}

function membersAsStored(members: object): Record<string, unknown> {
  const told: [string, unknown][] = [];
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined) told.push([name, valueAsStored(value)]);
  }
  return Object.freeze(Object.fromEntries(told));
}

function valueAsStored(value: unknown): unknown {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    return Object.freeze(value.filter((entry) => entry !== undefined).map(valueAsStored));
  }
  if (typeof value === 'object' && value !== null) return membersAsStored(value);
  const exact = typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (typeof value === 'bigint' || !exact) throw new RangeError(`${value} is not kept exactly`);
  return value;
}
