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
    for (const [order, place] of placesOf(found)) orderOf(order).remove(place);
    for (const [order, place] of placesOf(next)) orderOf(order).add(place);
    if (next === undefined) items.delete(path);
    else items.set(path, next);
  };

  return {
    items: () => [...items.values()],

    get: async ({ pk, sk }) => structuredClone(items.get(joined(pk, sk))),

    put: async (item, version) => replace(item, asStored(item), version),

    delete: async (key, version) => replace(key, undefined, version),

    query: async ({ pk, range, limit, descending = false, after }) => {
      const places = placesWithin(orderOf(`sk ${pk}`), range, after, descending);
      const entries = places.take(limit).map((sk) => items.get(joined(pk, sk)));
      const kept = structuredClone([...entries.filter((item) => item !== undefined)]);
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

/** An item's place in each order it stands in: its partition, the ladders, what is due. */
function placesOf(item: Item | undefined): readonly (readonly [order: string, place: string])[] {
  if (item === undefined) return [];
  const { pk, sk, falling, rising, dueShard, dueAt } = item;
  const places: [string, string][] = [[`sk ${pk}`, sk]];
  if (typeof falling === 'string') places.push([`falling ${pk}`, joined(falling, sk)]);
  if (typeof rising === 'string') places.push([`rising ${pk}`, joined(rising, sk)]);
  if (typeof dueShard === 'string' && typeof dueAt === 'number') {
    places.push([`due ${dueShard}`, joined(sortable(dueAt), pk, sk)]);
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

/** What is read back of an item: undefined is left out everywhere, and what is no data is refused. */
function asStored(item: Item): Item {
  if (item.pk === '' || item.sk === '') throw new RangeError('a key is never empty');
  return { ...membersAsStored(item), pk: item.pk, sk: item.sk };
}

function membersAsStored(members: object): Record<string, unknown> {
  const told = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(told.map(([name, value]) => [name, valueAsStored(value)]));
}

function valueAsStored(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((entry) => entry !== undefined).map(valueAsStored);
  if (typeof value === 'object' && value !== null) return membersAsStored(value);
  const exact = typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (typeof value === 'bigint' || !exact) throw new RangeError(`${value} is not kept exactly`);
  return value;
}
