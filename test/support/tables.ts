// biome-ignore lint/correctness/noUnresolvedImports: the linter does not know this module of Node 24
import { DatabaseSync } from 'node:sqlite';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DynamoDBClient,
  type LocalSecondaryIndex,
} from '@aws-sdk/client-dynamodb';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { createSqliteTable } from '#infra/local/sqlite-table.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import type { BulkTable } from '#shared/stores/bulk-table.ts';
import { createBulkTable } from '#shared/stores/dynamo-bulk-table.ts';
import {
  DynamoDbLocalMissingError,
  prepareDynamoDbLocal,
  startDynamoDbLocal,
} from './dynamodb-local.ts';
import { startDynamoDbServer } from './dynamodb-server.ts';

/** An engine for tables; call `start` before use and `stop` afterwards. */
export type TableEngine = {
  readonly name: string;
  readonly start: () => Promise<void>;
  /** An empty table. */
  readonly createTable: () => Promise<BulkTable>;
  readonly stop: () => Promise<void>;
};

/** An engine with an HTTP endpoint. */
type DynamoDbEngine = TableEngine & { readonly endpoint: () => string };

export const IN_MEMORY: TableEngine = {
  name: 'in memory',
  start: async () => {},
  createTable: async () => createMemoryTable(),
  stop: async () => {},
};

export const SQLITE: TableEngine = {
  name: 'in SQLite',
  start: async () => {},
  createTable: async () => createSqliteTable(new DatabaseSync(':memory:')),
  stop: async () => {},
};

/** The fake of DynamoDB for tests with processes. */
export const DYNAMODB_SERVER = onDynamoDb('the DynamoDB of tests', async () => {
  const { endpoint, close } = await startDynamoDbServer();
  return { endpoint, stop: close };
});

/** DynamoDB Local, if Java is installed; otherwise none, with a warning. */
export async function dynamoDbLocal(): Promise<readonly DynamoDbEngine[]> {
  try {
    await prepareDynamoDbLocal();
    return [onDynamoDb('DynamoDB Local', startDynamoDbLocal)];
  } catch (error) {
    if (!(error instanceof DynamoDbLocalMissingError)) throw error;
    // biome-ignore lint/suspicious/noConsole: a skipped check must be visible
    console.warn(`NOT RUN against DynamoDB Local: ${error.message}`);
    return [];
  }
}

/** The table as `infra/stack/watch-table.ts` deploys it. */
export const TABLE_SCHEMA = {
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
    { AttributeName: 'falling', AttributeType: 'S' },
    { AttributeName: 'rising', AttributeType: 'S' },
    { AttributeName: 'wakes', AttributeType: 'S' },
    { AttributeName: 'dueShard', AttributeType: 'S' },
    { AttributeName: 'dueAt', AttributeType: 'N' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  LocalSecondaryIndexes: [localIndex('falling'), localIndex('rising'), localIndex('wakes')],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'due',
      KeySchema: [
        { AttributeName: 'dueShard', KeyType: 'HASH' },
        { AttributeName: 'dueAt', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ],
  BillingMode: 'PAY_PER_REQUEST',
} satisfies Omit<CreateTableCommandInput, 'TableName'>;

function localIndex(name: string): LocalSecondaryIndex {
  return {
    IndexName: name,
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: name, KeyType: 'RANGE' },
    ],
    Projection: { ProjectionType: 'KEYS_ONLY' },
  };
}

function onDynamoDb(
  name: string,
  startServer: () => Promise<{
    readonly endpoint: string;
    readonly stop: () => Promise<void>;
  }>,
): DynamoDbEngine {
  let running:
    | {
        readonly client: DynamoDBClient;
        readonly endpoint: string;
        readonly stop: () => Promise<void>;
      }
    | undefined;
  let tables = 0;
  return {
    name,

    start: async () => {
      const { endpoint, stop } = await startServer();
      const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
      const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials });
      running = { client, endpoint, stop };
    },

    createTable: async () => {
      if (running === undefined) throw new Error(`${name} is not started`);
      const { client } = running;
      tables += 1;
      const TableName = `Table${tables}`;
      await client.send(new CreateTableCommand({ ...TABLE_SCHEMA, TableName }));
      await untilActive(client, TableName);
      return createBulkTable(client, TableName, tableRuntime);
    },

    endpoint: () => running?.endpoint ?? '',

    stop: async () => {
      running?.client.destroy();
      await running?.stop();
      running = undefined;
    },
  };
}

async function untilActive(client: DynamoDBClient, TableName: string): Promise<void> {
  for (;;) {
    const { Table: described } = await client.send(new DescribeTableCommand({ TableName }));
    if (described?.TableStatus === 'ACTIVE') return;
  }
}
