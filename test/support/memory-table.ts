import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import type { LadderPosition } from '#shared/domain/watching/ladder.ts';
import type { Item, Key, Table } from '#shared/stores/table.ts';

/** The table in memory, with the conditions, orders and pages of the real one. */
export function createMemoryTable(): Table & { readonly items: () => readonly Item[] } {
  const partitions = new Map<string, Map<string, Item>>();
  const partition = (pk: string): ReadonlyMap<string, Item> => partitions.get(pk) ?? new Map();
  const all = () => [...partitions.values()].flatMap((items) => [...items.values()]);

  const expectVersion = (key: Key, version: number | undefined) => {
    if (version === undefined) return;
    const found = partition(key.pk).get(key.sk);
    const matches = version === 0 ? found === undefined : found?.version === version;
    if (!matches) throw new VersionConflictError(`${key.pk} ${key.sk}`);
  };

  return {
    items: all,

    get: async ({ pk, sk }) => {
      const found = partition(pk).get(sk);
      return found === undefined ? undefined : structuredClone(found);
    },

    put: async (item, version) => {
      expectVersion(item, version);
      const items = partitions.get(item.pk) ?? new Map<string, Item>();
      partitions.set(item.pk, items);
      items.set(item.sk, withoutUndefined(item));
    },

    delete: async (key, version) => {
      expectVersion(key, version);
      partitions.get(key.pk)?.delete(key.sk);
    },

    query: async ({ pk, range, limit, descending = false, after }) => {
      const inRange = [...partition(pk).values()]
        .filter(({ sk }) => sk >= range.from && sk <= range.to)
        .toSorted((a, b) => compare(a.sk, b.sk));
      const ordered = descending ? inRange.toReversed() : inRange;
      const rest = ordered.filter(
        ({ sk }) => after === undefined || (descending ? sk < after : sk > after),
      );
      return page(structuredClone(rest), limit, ({ sk }) => sk);
    },

    queryLadder: async ({ index, pk, range, limit, after }) => {
      const entries = [...partition(pk).values()]
        .flatMap((item): (LadderPosition & Key)[] => {
          const position = item[index];
          return typeof position === 'string' && position >= range.from && position <= range.to
            ? [{ pk, sk: item.sk, position }]
            : [];
        })
        .toSorted((a, b) => compare(a.position, b.position) || compare(a.sk, b.sk))
        .filter(
          ({ position, sk }) =>
            after === undefined || (compare(position, after.position) || compare(sk, after.sk)) > 0,
        );
      const { entries: kept, next } = page(entries, limit, ({ sk, position }) => ({
        sk,
        position,
      }));
      return {
        entries: kept.map(({ sk }) => ({ pk, sk })),
        ...(next === undefined ? {} : { next }),
      };
    },

    due: async (shard, until, limit) =>
      all()
        .filter(({ dueShard, dueAt }) => dueShard === shard && Number(dueAt) <= until)
        .toSorted((a, b) => Number(a.dueAt) - Number(b.dueAt))
        .slice(0, limit)
        .map(({ pk, sk }) => ({ pk, sk })),
  };
}

function page<Entry, Position>(
  entries: readonly Entry[],
  limit: number,
  positionOf: (entry: Entry) => Position,
) {
  const kept = entries.slice(0, limit);
  const last = kept.at(-1);
  return kept.length === limit && last !== undefined
    ? { entries: kept, next: positionOf(last) }
    : { entries: kept };
}

/** What DynamoDB does with members that are undefined: it has no such thing. */
function withoutUndefined(item: Item): Item {
  return JSON.parse(JSON.stringify(item)) as Item;
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
