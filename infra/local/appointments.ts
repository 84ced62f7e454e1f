import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateQuery, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { EncodedContract } from '#shared/domain/polling/contract-codec.ts';
import { type ContractRecord, partsOf } from '#shared/domain/polling/contract-record.ts';

const shards = Array.from({ length: 16 }, (_, shard) => shard);

/**
 * The earliest instant at which the stack would do something of its own
 * accord; one that has passed if it would at the next tick.
 */
export async function findAppointment(
  dynamodb: DynamoDBClient,
  table: string,
): Promise<number | undefined> {
  const documents = DynamoDBDocumentClient.from(dynamodb);
  const instants = await Promise.all(
    shards.flatMap((shard) => [
      earliestDue(documents, table, shard),
      contractWork(documents, table, shard),
    ]),
  );
  return earliest(instants.flat());
}

async function earliestDue(
  documents: DynamoDBDocumentClient,
  table: string,
  shard: number,
): Promise<readonly number[]> {
  const { Items = [] } = await documents.send(
    new QueryCommand({
      TableName: table,
      IndexName: 'due',
      KeyConditionExpression: 'dueShard = :shard',
      ExpressionAttributeValues: { ':shard': `DUE#${shard}` },
      Limit: 1,
    }),
  );
  return Items.map((item) => DueItem.parse(item).dueAt);
}

async function contractWork(
  client: DynamoDBDocumentClient,
  table: string,
  shard: number,
): Promise<readonly number[]> {
  const instants: (number | undefined)[] = [];
  const query = {
    TableName: table,
    KeyConditionExpression: 'pk = :registry',
    ExpressionAttributeValues: { ':registry': `CONTRACTS#${shard}` },
  };
  for await (const { Items = [] } of paginateQuery({ client }, query)) {
    for (const item of Items) {
      instants.push(nextWork(EncodedContract.parse({ ...item, contract: item.sk })));
    }
  }
  return instants.filter((instant) => instant !== undefined);
}

function nextWork(record: ContractRecord): number | undefined {
  const parts = partsOf(record);
  const isWanted = parts.some(
    ([part, { failures }]) => failures === undefined && record.wanted[part] !== undefined,
  );
  if (isWanted || record.unjudged.length > 0) return 0;
  return earliest(parts.flatMap(([, { retryAt }]) => retryAt ?? []));
}

function earliest(instants: readonly number[]): number | undefined {
  return instants.length === 0 ? undefined : Math.min(...instants);
}

const DueItem = z.object({ dueAt: z.number() });
