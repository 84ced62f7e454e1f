import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { type ContractRecord, partsOf } from '#shared/domain/polling/contract-record.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { dueShards } from '#shared/stores/due-queue.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';

/** What this runtime reads in the stack's table to know what the stack waits for. */
export type WatchedTable = {
  readonly contracts: () => Promise<readonly ContractRecord[]>;
  /** The earliest timer of the index `due`. */
  readonly earliestDue: () => Promise<number | undefined>;
};

export function readWatchedTable(dynamodb: DynamoDBClient, tableName: string): WatchedTable {
  const client = DynamoDBDocumentClient.from(dynamodb);

  const registry = createContractStore(
    createDynamoTable(dynamodb, tableName, tableRuntime),
    Date.now,
  );

  const dueIn = async (shard: string): Promise<readonly number[]> => {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName: tableName,
        IndexName: 'due',
        KeyConditionExpression: 'dueShard = :shard',
        ExpressionAttributeValues: { ':shard': shard },
        Limit: 1,
      }),
    );
    return Items.map((item) => DueItem.parse(item).dueAt);
  };

  return {
    contracts: async () => (await registry.all()).records,
    earliestDue: async () => earliest((await Promise.all(dueShards().map(dueIn))).flat()),
  };
}

/** When a contract has something to do that stands in no index; 0 for at the next tick. */
export function nextWork(record: ContractRecord): number | undefined {
  const parts = partsOf(record);
  const isWanted = parts.some(
    ([part, { failures }]) => failures === undefined && record.wanted[part] !== undefined,
  );
  if (isWanted || record.unevaluated.length > 0) return 0;
  return earliest(parts.map(([, { retryAt }]) => retryAt));
}

/** The smallest of those that are known. */
export function earliest(instants: readonly (number | undefined)[]): number | undefined {
  const known = instants.filter((instant) => instant !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

const DueItem = z.object({ dueAt: z.number() });
