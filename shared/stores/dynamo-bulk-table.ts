import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DynamoDBDocumentClient,
} from '@aws-sdk/lib-dynamodb';
import type { BulkTable } from './bulk-table.ts';
import { createDynamoTable, keyOf, StoredItem, type TableRuntime } from './dynamo-table.ts';
import { inParallel } from './in-parallel.ts';
import type { Item } from './table.ts';

/**
 * The table on DynamoDB for bulk loads. It sends unprocessed items again after a pause. The pause
 * grows with the number of consecutive attempts that processed no items.
 */
export function createBulkTable(
  client: DynamoDBClient,
  tableName: string,
  runtime: TableRuntime,
): BulkTable {
  const { pause } = runtime;
  const documents = DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
  });

  /** Sends all requests in batches of `together`; `send` returns the unprocessed ones. */
  const sendAll = async <Request>(
    requests: readonly Request[],
    together: number,
    send: (requests: Request[]) => Promise<Request[]>,
  ) => {
    await inParallel(chunksOf(requests, together), BATCHES_AT_ONCE, async (chunk) => {
      let left = await send(chunk);
      for (let attempt = 1, before = chunk.length; left.length > 0; ) {
        attempt = left.length < before ? 1 : attempt + 1;
        if (attempt > MOST_ATTEMPTS) throw new TableBusyError(tableName);
        await pause(attempt);
        before = left.length;
        left = await send(left);
      }
    });
  };

  const write = async (requests: readonly WriteRequest[]) => {
    await sendAll(requests, WRITES_TOGETHER, async (chunk) => {
      const { UnprocessedItems } = await documents.send(
        new BatchWriteCommand({ RequestItems: { [tableName]: chunk } }),
      );
      return UnprocessedItems?.[tableName] ?? [];
    });
  };

  return {
    ...createDynamoTable(client, tableName, runtime),

    getAll: async (keys) => {
      const found: Item[] = [];
      await sendAll(keys, READS_TOGETHER, async (chunk) => {
        const Keys = chunk.map(({ pk, sk }) => ({ pk, sk }));
        const { Responses, UnprocessedKeys } = await documents.send(
          new BatchGetCommand({ RequestItems: { [tableName]: { Keys, ConsistentRead: true } } }),
        );
        found.push(...(Responses?.[tableName] ?? []).map((item) => StoredItem.parse(item)));
        return (UnprocessedKeys?.[tableName]?.Keys ?? []).map(keyOf);
      });
      return found;
    },

    putAll: (items) => write(items.map((Item) => ({ PutRequest: { Item } }))),

    deleteAll: (keys) => write(keys.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }))),
  };
}

/** Thrown when the table still processes no items after the last retry. */
export class TableBusyError extends Error {
  override readonly name = 'TableBusyError';
  readonly code = 'table_busy';

  constructor(tableName: string) {
    super(`the table ${tableName} is throttled: try again in a few minutes`);
  }
}

type WriteRequest = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number];

/** DynamoDB's limits for a batch request. */
const WRITES_TOGETHER = 25;
const READS_TOGETHER = 100;
const BATCHES_AT_ONCE = 8;
const MOST_ATTEMPTS = 10;

function* chunksOf<Thing>(things: readonly Thing[], size: number): Generator<Thing[]> {
  for (let start = 0; start < things.length; start += size) {
    yield things.slice(start, start + size);
  }
}
