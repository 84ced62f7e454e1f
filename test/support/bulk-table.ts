import type { BulkTable } from '#shared/stores/bulk-table.ts';
import type { Table } from '#shared/stores/table.ts';

/** Any table, for who loads many items: one by one. */
export function inBulk(table: Table): BulkTable {
  return {
    ...table,
    getAll: async (keys) => {
      const items = await Promise.all(keys.map((key) => table.get(key)));
      return items.filter((item) => item !== undefined);
    },
    putAll: async (items) => {
      for (const item of items) await table.put(item);
    },
    deleteAll: async (keys) => {
      for (const key of keys) {
        const item = await table.get(key);
        if (item !== undefined) await table.delete(key, Number(item.version));
      }
    },
  };
}
