import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import type { BulkTable } from '#shared/stores/bulk-table.ts';
import type { Item, Key } from '#shared/stores/table.ts';
import { asStored, asStoredWrites, expectEachOnce, expectKeys } from './stored-item.ts';

/** The storage of a local table. */
type Items = {
  readonly find: (key: Key) => Item | undefined;
  /** The item, or an object with only its version. */
  readonly findVersion: (key: Key) => Readonly<Record<string, unknown>> | undefined;
  /** Undefined removes the item. */
  readonly replace: (key: Key, next: Item | undefined) => void;
  /** Applies all changes of the callback, or none if it throws. */
  readonly together: (work: () => void) => void;
};

type AccessByKey = Omit<BulkTable, 'query' | 'queryThresholdIndex' | 'due'>;

/** Reads and writes items by key, with DynamoDB's conditions and errors. */
export function accessByKey({ find, findVersion, replace, together }: Items): AccessByKey {
  const expectVersion = (key: Key, version: number | undefined) => {
    if (version === undefined || isMet(findVersion(key), version)) return;
    throw new VersionConflictError(`${key.pk} ${key.sk}`);
  };
  return {
    get: async (key) => {
      expectKeys({ ...key });
      return find(key);
    },

    put: async (item, version) => {
      const next = asStored(item);
      expectVersion(item, version);
      replace(item, next);
    },

    delete: async ({ pk, sk }, version) => {
      expectKeys({ pk, sk });
      // Deleting a missing item succeeds.
      if (findVersion({ pk, sk }) === undefined) return;
      expectVersion({ pk, sk }, version);
      replace({ pk, sk }, undefined);
    },

    transact: async (writes) => {
      const stored = asStoredWrites(writes);
      for (const { key, version } of stored) expectVersion(key, version);
      together(() => {
        for (const { key, next } of stored) replace(key, next);
      });
    },

    getAll: async (keys) => {
      expectEachOnce(keys);
      return keys.flatMap((key) => find(key) ?? []);
    },

    putAll: async (items) => {
      expectEachOnce(items);
      const stored = items.map(asStored);
      together(() => {
        for (const item of stored) replace(item, item);
      });
    },

    deleteAll: async (keys) => {
      expectEachOnce(keys);
      together(() => {
        for (const key of keys) replace(key, undefined);
      });
    },
  };
}

/** Whether the stored item has the expected version. */
function isMet(found: Readonly<Record<string, unknown>> | undefined, version: number): boolean {
  if (found === undefined) return version === 0;
  return version !== 0 && found.version === version;
}
