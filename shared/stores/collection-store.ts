import { defined } from '#shared/domain/defined.ts';
import { Collection } from '#shared/domain/market/collection.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { readEach, readItem } from './read-item.ts';
import type { Item, Key, Table } from './table.ts';

/**
 * The names of contracts. Names have their own items: the record of a contract is read every minute
 * and sent with each poll, but its name is needed only for changes of lists and for texts.
 */
export type CollectionStore = {
  /** Also undefined if the item is unreadable, because names are optional everywhere. */
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
