import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { createMemoryTable, type MemoryTable } from '#infra/local/memory-table.ts';
import { closeServer, createLoopbackServer, listen } from '#infra/local/runtime/loopback.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import type { Item, Key, Write } from '#shared/stores/table.ts';

export type DynamoDbServer = {
  readonly endpoint: string;
  readonly close: () => Promise<void>;
};

/**
 * A fake of DynamoDB on loopback for tests with processes, with tables in memory. The fake supports
 * only the expressions of `createDynamoTable`, and rejects all others.
 */
export async function startDynamoDbServer(): Promise<DynamoDbServer> {
  const tables = new Map<string, MemoryTable>();
  const server = createLoopbackServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target']).replace(/^DynamoDB_\d+\./, '');
    const input: unknown = JSON.parse(await text(request));
    const { status, body } = await answerTo(tables, operation, input);
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(body));
  });
  return { endpoint: await listen(server), close: () => closeServer(server) };
}

class Refusal extends Error {
  readonly type: string;
  readonly members: object;

  constructor(
    type: string,
    { members = {}, ...options }: ErrorOptions & { members?: object } = {},
  ) {
    super(type, options);
    this.type = type;
    this.members = members;
  }
}

async function answerTo(tables: Map<string, MemoryTable>, operation: string, input: unknown) {
  try {
    const answer = OPERATIONS[operation];
    if (answer === undefined) throw invalid(`no ${operation} here`);
    return { status: 200, body: await answer(tables, input) };
  } catch (error) {
    if (error instanceof RangeError || error instanceof z.ZodError) {
      return refused(invalid(error.message));
    }
    if (error instanceof Refusal) return refused(error);
    throw error;
  }
}

function invalid(message: string): Refusal {
  return new Refusal('ValidationException', { members: { message } });
}

function refused({ type, members }: Refusal) {
  const __type = `com.amazonaws.dynamodb.v20120810#${type}`;
  return { status: 400, body: { __type, ...members } };
}

type Operation = (tables: Map<string, MemoryTable>, input: unknown) => Promise<object>;

function tableOf(tables: Map<string, MemoryTable>, name: string): MemoryTable {
  const table = tables.get(name);
  if (table === undefined) throw new Refusal('ResourceNotFoundException');
  return table;
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  CreateTable: async (tables, input) => {
    const { TableName } = Named.parse(input);
    if (tables.has(TableName)) throw new Refusal('ResourceInUseException');
    tables.set(TableName, createMemoryTable());
    return { TableDescription: { TableName, TableStatus: 'ACTIVE' } };
  },
  DescribeTable: async (tables, input) => {
    const { TableName } = Named.parse(input);
    tableOf(tables, TableName);
    return { Table: { TableName, TableStatus: 'ACTIVE' } };
  },
  ListTables: async (tables) => ({ TableNames: [...tables.keys()].toSorted() }),

  GetItem: async (tables, input) => {
    const { TableName, Key } = Getting.parse(input);
    const found = await tableOf(tables, TableName).get(Key);
    return found === undefined ? {} : { Item: marshalled(found) };
  },
  PutItem: async (tables, input) => {
    const { Item, ...put } = Putting.parse(input);
    const table = tableOf(tables, put.TableName);
    await conditionally(table, Item, () => table.put(Item, versionIn(put)));
    return {};
  },
  DeleteItem: async (tables, input) => {
    const { Key, ...deletion } = Deleting.parse(input);
    const table = tableOf(tables, deletion.TableName);
    const version = versionIn(deletion);
    if (version === undefined) await table.deleteAll([Key]);
    else await conditionally(table, Key, () => table.delete(Key, version));
    return {};
  },
  TransactWriteItems: async (tables, input) => {
    const { TransactItems } = Transaction.parse(input);
    const [first] = TransactItems;
    const { TableName = '' } = first?.Put ?? first?.Delete ?? {};
    const table = tableOf(tables, TableName);
    const writes = TransactItems.map(({ Put, Delete }): Write => {
      if (Put !== undefined) return { put: Put.Item, version: versionIn(Put) };
      if (Delete !== undefined) return { delete: Delete.Key, version: versionIn(Delete) ?? 0 };
      throw invalid('neither Put nor Delete');
    });
    try {
      await table.transact(writes);
    } catch (error) {
      if (!(error instanceof VersionConflictError)) throw error;
      const CancellationReasons = writes.map((write) => {
        const { pk, sk } = 'put' in write ? write.put : write.delete;
        const isNamed = error.message.startsWith(`${pk} ${sk} has`);
        return { Code: isNamed ? 'ConditionalCheckFailed' : 'None' };
      });
      const members = { CancellationReasons };
      throw new Refusal('TransactionCanceledException', { cause: error, members });
    }
    return {};
  },
  BatchGetItem: async (tables, input) => {
    const { RequestItems } = BatchGet.parse(input);
    const found = Object.entries(RequestItems).map(async ([name, { Keys }]) => {
      const items = await tableOf(tables, name).getAll(Keys);
      return [name, items.map(marshalled)] as const;
    });
    return { Responses: Object.fromEntries(await Promise.all(found)), UnprocessedKeys: {} };
  },
  BatchWriteItem: async (tables, input) => {
    const { RequestItems } = BatchWrite.parse(input);
    for (const [name, requests] of Object.entries(RequestItems)) {
      const table = tableOf(tables, name);
      await table.putAll(requests.flatMap(({ PutRequest }) => PutRequest?.Item ?? []));
      await table.deleteAll(requests.flatMap(({ DeleteRequest }) => DeleteRequest?.Key ?? []));
    }
    return { UnprocessedItems: {} };
  },
  Query: async (tables, input) => {
    const { IndexName, ...query } = Querying.parse(input);
    const table = tableOf(tables, query.TableName);
    if (IndexName === 'due') return await queryDue(table, query);
    const { from, to, pk } = rangeIn(query);
    const range = { from, to };
    const { Limit: limit, ScanIndexForward, ExclusiveStartKey: start } = query;
    if (IndexName === undefined) {
      const after = start && z.string().parse(start.sk);
      const page = await table.query({ pk, range, limit, descending: !ScanIndexForward, after });
      return pageOf(page.entries, page.next && { pk, sk: page.next });
    }
    const after = start && {
      sk: z.string().parse(start.sk),
      position: z.string().parse(start[IndexName]),
    };
    const page = await table.queryThresholdIndex({ index: IndexName, pk, range, limit, after });
    const { next } = page;
    return pageOf(page.entries, next && { pk, sk: next.sk, [IndexName]: next.position });
  },
};

function pageOf(items: readonly object[], last: object | undefined | '') {
  return {
    ...{ Items: items.map(marshalled), Count: items.length },
    ...(last && { LastEvaluatedKey: marshalled(last) }),
  };
}

async function queryDue(table: MemoryTable, query: z.output<typeof Querying>) {
  expectExpression(query, 'dueShard = :shard AND dueAt <= :until');
  const { ':shard': shard, ':until': until } = DueValues.parse(query.ExpressionAttributeValues);
  const after = query.ExclusiveStartKey && DueKey.parse(query.ExclusiveStartKey);
  const found = await table.due(shard, until, query.Limit, after);
  return pageOf(
    found.map((key) => ({ ...key, dueShard: shard })),
    undefined,
  );
}

function rangeIn(query: z.output<typeof Querying>) {
  expectExpression(query, '#pk = :pk AND #sk BETWEEN :from AND :to');
  const values = RangeValues.parse(query.ExpressionAttributeValues);
  return { pk: values[':pk'], from: values[':from'], to: values[':to'] };
}

function expectExpression(query: z.output<typeof Querying>, expected: string): void {
  if (query.KeyConditionExpression === expected) return;
  throw invalid(`unknown: ${query.KeyConditionExpression}`);
}

/** Runs a write with a condition; the rejection contains the item that was found. */
async function conditionally(
  table: MemoryTable,
  { pk, sk }: Key,
  write: () => Promise<void>,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof VersionConflictError)) throw error;
    const found = await table.get({ pk, sk });
    const members = found === undefined ? {} : { Item: marshalled(found) };
    throw new Refusal('ConditionalCheckFailedException', { cause: error, members });
  }
}

/** The version in a condition; undefined without a condition. */
function versionIn({ ConditionExpression: condition, ...given }: z.output<typeof Condition>) {
  if (condition === undefined) return undefined;
  if (condition === 'attribute_not_exists(pk)') return 0;
  const VERSION = /^(attribute_not_exists\(pk\) OR )?#version = :version$/;
  if (VERSION.test(condition))
    return z.number().parse(given.ExpressionAttributeValues?.[':version']);
  throw invalid(`unknown condition: ${condition}`);
}

type Attribute = Readonly<Record<string, unknown>>;

function marshalled(members: object): Readonly<Record<string, Attribute>> {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, attributeOf(value)]),
  );
}

function attributeOf(value: unknown): Attribute {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (Array.isArray(value)) return { L: value.map(attributeOf) };
  return typeof value === 'object' && value !== null ? { M: marshalled(value) } : { NULL: true };
}

function valueIn(attribute: unknown): unknown {
  const [[type, value] = []] = Object.entries(attribute as Attribute);
  if (type === 'N') return Number(value);
  if (type === 'NULL') return null;
  if (type === 'L') return (value as readonly unknown[]).map(valueIn);
  return type === 'M' ? unmarshalled(value as object) : value;
}

function unmarshalled(members: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(members).map(([name, one]) => [name, valueIn(one)]));
}

const Attributes = z.record(z.string(), z.unknown()).transform(unmarshalled);
const StoredKey = Attributes.pipe(z.object({ pk: z.string(), sk: z.string() }));
const StoredItem = Attributes.pipe(
  z.looseObject({ pk: z.string(), sk: z.string() }).transform((item): Item => item),
);
const Named = z.object({ TableName: z.string() });
const Condition = Named.extend({
  ConditionExpression: z.string().optional(),
  ExpressionAttributeValues: Attributes.optional(),
});
const Getting = Named.extend({ Key: StoredKey });
const Putting = Condition.extend({ Item: StoredItem });
const Deleting = Condition.extend({ Key: StoredKey });
const Transaction = z.object({
  TransactItems: z.array(z.object({ Put: Putting.optional(), Delete: Deleting.optional() })),
});
const BatchGet = z.object({
  RequestItems: z.record(z.string(), z.object({ Keys: z.array(StoredKey).max(100) })),
});
const BatchWrite = z.object({
  RequestItems: z.record(
    z.string(),
    z
      .array(
        z.object({
          PutRequest: z.object({ Item: StoredItem }).optional(),
          DeleteRequest: z.object({ Key: StoredKey }).optional(),
        }),
      )
      .max(25),
  ),
});
const Querying = Named.extend({
  IndexName: z.enum(['falling', 'rising', 'wakes', 'due']).optional(),
  KeyConditionExpression: z.string(),
  ExpressionAttributeValues: Attributes,
  Limit: z.int().positive(),
  ScanIndexForward: z.boolean().default(true),
  ExclusiveStartKey: Attributes.optional(),
});
const RangeValues = z.object({ ':pk': z.string(), ':from': z.string(), ':to': z.string() });
const DueValues = z.object({ ':shard': z.string(), ':until': z.number() });
const DueKey = z.object({ pk: z.string(), sk: z.string(), dueAt: z.number() });
