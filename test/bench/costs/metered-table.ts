import { itemSize } from '#infra/local/item-size.ts';
import type { MemoryTable } from '#infra/local/memory-table.ts';
import { type Item, type Key, keyOfWrite, type Table } from '#shared/stores/table.ts';

/** The request units that DynamoDB would bill. */
export type TableUnits = { writes: number; reads: number };

/** Sizes are cached, because items in the memory table are frozen and read repeatedly. */
const sizes = new WeakMap<object, number>();

function sizeOf(item: object | undefined): number {
  if (item === undefined) return 0;
  const size = sizes.get(item) ?? itemSize(item);
  if (Object.isFrozen(item)) sizes.set(item, size);
  return size;
}

const WRITE_BYTES = 1024;
const READ_BYTES = 4096;

/**
 * Counts the request units of a table as DynamoDB does. A write costs the larger of the old and the
 * new item, plus one unit for each added or removed index entry. A read costs the total size of the
 * items.
 */
export function meteredTable(memory: MemoryTable, units: TableUnits): Table {
  const written = async (key: Key, next: Item | undefined) => {
    const found = await memory.get(key);
    const size = Math.max(sizeOf(found), sizeOf(next));
    units.writes += Math.max(1, Math.ceil(size / WRITE_BYTES)) + indexWrites(found, next);
  };
  const read = (items: readonly object[], share = 1) => {
    const size = items.reduce((sum, item) => sum + sizeOf(item), 0);
    units.reads += share * Math.max(1, Math.ceil(size / READ_BYTES));
  };

  return {
    get: async (key) => {
      const found = await memory.get(key);
      read(found ? [found] : []);
      return found;
    },
    // A failed condition is billed like a write.
    put: async (item, version) => {
      await written(item, item);
      await memory.put(item, version);
    },
    delete: async (key, version) => {
      await written(key, undefined);
      await memory.delete(key, version);
    },
    // A transaction writes each of its items twice.
    transact: async (writes) => {
      for (const write of [...writes, ...writes]) {
        await written(keyOfWrite(write), 'put' in write ? write.put : undefined);
      }
      await memory.transact(writes);
    },
    query: async (range) => {
      const page = await memory.query(range);
      read(page.entries);
      return page;
    },
    queryThresholdIndex: async (range) => {
      const page = await memory.queryThresholdIndex(range);
      read(page.entries);
      return page;
    },
    // A global index is read with eventual consistency, at half the price.
    due: async (...given) => {
      const entries = await memory.due(...given);
      read(entries, 0.5);
      return entries;
    },
  };
}

/** The indexes contain only keys, so changes to other attributes cost nothing there. */
function indexWrites(before: Item | undefined, after: Item | undefined): number {
  const indexes = [['falling'], ['rising'], ['wakes'], ['dueShard', 'dueAt']];
  return indexes.reduce((sum, members) => {
    const [old, now] = [placeOf(before, members), placeOf(after, members)];
    if (old === now) return sum;
    return sum + (old === undefined ? 0 : 1) + (now === undefined ? 0 : 1);
  }, 0);
}

function placeOf(item: Item | undefined, members: readonly string[]): string | undefined {
  const values = members.map((member) => item?.[member]);
  return values.includes(undefined) ? undefined : values.join(' ');
}
