import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateQuery, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { EncodedContract } from '#shared/domain/polling/contract-codec.ts';
import { type ContractRecord, partsOf } from '#shared/domain/polling/contract-record.ts';
import { SHARDS } from '#shared/domain/shard.ts';
import { dueShards } from '#shared/stores/appointment.ts';

/** What this runtime reads in the stack's table to know what the stack waits for. */
export type WatchedTable = {
  readonly contracts: () => Promise<readonly ContractRecord[]>;
  /** The earliest appointment of the index `due`. */
  readonly earliestDue: () => Promise<number | undefined>;
};

const shards = Array.from({ length: SHARDS }, (_, shard) => shard);

export function readWatchedTable(dynamodb: DynamoDBClient, tableName: string): WatchedTable {
  const client = DynamoDBDocumentClient.from(dynamodb);

  const contractsIn = async (shard: number): Promise<readonly ContractRecord[]> => {
    const query = {
      TableName: tableName,
      KeyConditionExpression: 'pk = :registry',
      ExpressionAttributeValues: { ':registry': `CONTRACTS#${shard}` },
    };
    const records: ContractRecord[] = [];
    for await (const { Items = [] } of paginateQuery({ client }, query)) {
      for (const item of Items) records.push(EncodedContract.parse({ ...item, contract: item.sk }));
    }
    return records;
  };

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
    contracts: async () => (await Promise.all(shards.map(contractsIn))).flat(),
    earliestDue: async () => earliest((await Promise.all(dueShards().map(dueIn))).flat()),
  };
}

/** When a contract has something to do that stands in no index; 0 for at the next tick. */
export function nextWork(record: ContractRecord): number | undefined {
  const parts = partsOf(record);
  const isWanted = parts.some(
    ([part, { failures }]) => failures === undefined && record.wanted[part] !== undefined,
  );
  if (isWanted || record.unjudged.length > 0) return 0;
  return earliest(parts.map(([, { retryAt }]) => retryAt));
}

/** The smallest of those that are known. */
export function earliest(instants: readonly (number | undefined)[]): number | undefined {
  const known = instants.filter((instant) => instant !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

const DueItem = z.object({ dueAt: z.number() });
