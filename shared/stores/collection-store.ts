import { defined } from '#shared/domain/defined.ts';
import { Collection } from '#shared/domain/market/collection.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { readEach, readItem } from './read-item.ts';
import type { Item, Key, Table } from './table.ts';

/**
 * What contracts are called. An item of its own: the contract's record is read each minute and sent
 * with each poll, and a name is needed only when a list changes or a person reads.
 */
export type CollectionStore = {
  /** Undefined also where it cannot be read: nothing depends on a name. */
  readonly get: (contract: ContractKey) => Promise<Collection | undefined>;
  readonly put: (contract: ContractKey, collection: Collection) => Promise<void>;
};

export function createCollectionStore(table: Table): CollectionStore {
  return {
    get: async (contract) => {
      const item = await table.get(keyOf(contract));
      const read = (found: Item) => readItem('collection', Collection, found);
      return readEach(item === undefined ? [] : [item], read, () => undefined).entries[0];
    },

    put: async (contract, { name, slug, image }) =>
      await table.put({
        ...keyOf(contract),
        ...{ name, slug },
        ...defined({ image }),
      }),
  };
}

const keyOf = (contract: ContractKey): Key => ({ pk: `COLLECTION#${contract}`, sk: 'COLLECTION' });
