import { ContractKey } from '#shared/domain/market/contract.ts';
import { EncodedContract, encodeContract } from '#shared/domain/polling/contract-codec.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import { SHARDS, shardOf } from '#shared/domain/shard.ts';
import { expectKnownShape, readEach, unreadableItem } from './read-item.ts';
import { type Item, type Key, queryAll, type Table } from './table.ts';

/**
 * The registry of watched contracts: one small item each. The planner reads all of them every
 * minute.
 */
export type ContractStore = {
  readonly get: (contract: ContractKey) => Promise<ContractRecord | undefined>;
  /** Writes the record if the stored version is unchanged; returns it with its new version. */
  readonly put: (record: ContractRecord) => Promise<ContractRecord>;
  /** All contracts of the registry. Unreadable ones are reported separately. */
  readonly all: () => Promise<{
    readonly records: readonly ContractRecord[];
    readonly unreadable: readonly string[];
  }>;
  readonly keys: () => Promise<readonly ContractKey[]>;
};

/** DynamoDB removes an idle contract after all messages about it have left the queues. */
const IDLE_SECONDS = 24 * 60 * 60;

export function createContractStore(table: Table, now: () => number): ContractStore {
  const allItems = async () => {
    const shards = Array.from({ length: SHARDS }, (_, shard) =>
      queryAll(table, partitionOf(shard), ALL_CONTRACTS),
    );
    return (await Promise.all(shards)).flat();
  };

  return {
    get: async (contract) => {
      const item = await table.get(keyOf(contract));
      return item === undefined ? undefined : readContract(item);
    },

    put: async (record) => {
      const written = { ...record, version: record.version + 1 };
      await table.put(toItem(written, now()), record.version);
      return written;
    },

    all: async () => {
      const { entries, unreadable } = readEach(await allItems(), readContract, ({ sk }) => sk);
      return { records: entries, unreadable };
    },

    keys: async () =>
      (await allItems()).flatMap(({ sk }) => {
        const { data } = ContractKey.safeParse(sk);
        return data === undefined ? [] : [data];
      }),
  };
}

/** DynamoDB rejects an empty text as the end of a range. */
const ALL_CONTRACTS = { from: ' ', to: '\uffff' };

function toItem(record: ContractRecord, now: number): Item {
  const { contract, ...attributes } = encodeContract(record);
  const idle = Object.keys(attributes.series).length === 0;
  return {
    ...keyOf(record.contract),
    ...attributes,
    ...(idle ? { ttl: Math.floor(now / 1000) + IDLE_SECONDS } : {}),
  };
}

export function readContract(item: Item): ContractRecord {
  expectKnownShape('contract', item);
  const { pk: _pk, sk: contract, ttl: _ttl, v: _shape, ...attributes } = item;
  const read = EncodedContract.safeParse({ ...attributes, contract });
  if (read.success) return read.data;
  throw unreadableItem(item, read.error);
}

function keyOf(contract: ContractKey): Key {
  return { pk: partitionOf(shardOf(contract)), sk: contract };
}

function partitionOf(shard: number): string {
  return `CONTRACTS#${shard}`;
}
