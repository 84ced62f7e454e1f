import { ConditionalCheckFailedException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { ThresholdIndexPosition } from '#shared/domain/rules/threshold-index.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { type Key, type Range, type Table, wholeItem } from './table.ts';

/** The table on DynamoDB. */
export function createDynamoTable(client: DynamoDBClient, tableName: string): Table {
  const documents = DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
  });

  const query = async (input: Omit<QueryCommandInput, 'TableName'>) => {
    const answer = await documents.send(new QueryCommand({ TableName: tableName, ...input }));
    return { items: answer.Items ?? [], last: answer.LastEvaluatedKey };
  };

  return {
    get: async ({ pk, sk }) => {
      const { Item: found } = await documents.send(
        new GetCommand({ TableName: tableName, Key: { pk, sk }, ConsistentRead: true }),
      );
      return found === undefined ? undefined : StoredItem.parse(found);
    },

    put: async (item, version) => {
      await unlessChanged(item, () =>
        documents.send(
          new PutCommand({ TableName: tableName, Item: wholeItem(item), ...whileVersion(version) }),
        ),
      );
    },

    delete: async ({ pk, sk }, version) => {
      await unlessChanged({ pk, sk }, () =>
        documents.send(
          new DeleteCommand({ TableName: tableName, Key: { pk, sk }, ...whileVersion(version) }),
        ),
      );
    },

    query: async ({ pk, range, limit, descending = false, after }) => {
      const { items, last } = await query({
        ...withinRange('pk', pk, 'sk', range),
        ConsistentRead: true,
        Limit: limit,
        ScanIndexForward: !descending,
        ...(after === undefined ? {} : { ExclusiveStartKey: { pk, sk: after } }),
      });
      const next = last === undefined ? {} : { next: StoredItem.parse(last).sk };
      return { entries: items.map((item) => StoredItem.parse(item)), ...next };
    },

    queryThresholdIndex: async ({ index, pk, range, limit, after }) => {
      const { items, last } = await query({
        ...withinRange('pk', pk, index, range),
        IndexName: index,
        ConsistentRead: true,
        Limit: limit,
        ...(after === undefined
          ? {}
          : { ExclusiveStartKey: { pk, sk: after.sk, [index]: after.position } }),
      });
      const next = last === undefined ? {} : { next: positionIn(index, last) };
      return { entries: items.map(keyOf), ...next };
    },

    due: async (shard, until, limit, after) => {
      const { items } = await query({
        IndexName: 'due',
        KeyConditionExpression: 'dueShard = :shard AND dueAt <= :until',
        ExpressionAttributeValues: { ':shard': shard, ':until': until },
        Limit: limit,
        ...(after && { ExclusiveStartKey: { ...after, dueShard: shard } }),
      });
      return items.map((item) => DueKey.parse(item));
    },
  };
}

const StoredKey = z.object({ pk: z.string(), sk: z.string() });
const DueKey = StoredKey.extend({ dueAt: z.number() });
export const StoredItem = z.looseObject(StoredKey.shape);

export function keyOf(item: unknown): Key {
  return StoredKey.parse(item);
}

function positionIn(
  index: string,
  last: Readonly<Record<string, unknown>>,
): ThresholdIndexPosition {
  return { sk: StoredItem.parse(last).sk, position: z.string().parse(last[index]) };
}

function withinRange(pkName: string, pk: string, skName: string, { from, to }: Range) {
  return {
    KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :from AND :to',
    ExpressionAttributeNames: { '#pk': pkName, '#sk': skName },
    ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
  };
}

function whileVersion(version: number | undefined) {
  if (version === undefined) return {};
  if (version === 0) return { ConditionExpression: 'attribute_not_exists(pk)' };
  return {
    ConditionExpression: '#version = :version',
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: { ':version': version },
  };
}

async function unlessChanged(key: Key, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) {
      throw new VersionConflictError(`${key.pk} ${key.sk}`, { cause: error });
    }
    throw error;
  }
}
