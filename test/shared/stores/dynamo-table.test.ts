import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { OutcomeUnknownError } from '#shared/domain/outcome-unknown.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { startHttpServer } from '#test/support/http-server.ts';

const mock = mockClient(DynamoDBDocumentClient);
afterAll(() => mock.restore());
const table = createDynamoTable(new DynamoDBClient({ region: 'us-east-1' }), 'Watches', {
  newWriteId: tableRuntime.newWriteId,
  pause: async () => {},
});
const key = { pk: 'WATCHES#a', sk: 'a' };
const HELD = new TransactionConflictException({ message: 'held', $metadata: {} });
const range = { from: 'a', to: 'b' };

beforeEach(() => {
  mock.reset();
  mock.resolves({});
});

describe('reads', () => {
  it('reads items, partitions and threshold indexes with strong consistency', async () => {
    await table.get(key);
    await table.query({ pk: key.pk, range, limit: 10 });
    await table.queryThresholdIndex({ index: 'falling', pk: key.pk, range, limit: 10 });

    const inputs = [...mock.commandCalls(GetCommand), ...mock.commandCalls(QueryCommand)].map(
      ({ args: [{ input }] }) => input,
    );
    expect(inputs).toHaveLength(3);
    for (const input of inputs) {
      expect(input).toMatchObject({ TableName: 'Watches', ConsistentRead: true });
    }
  });

  it('queries due work without strong consistency, which a global index does not support', async () => {
    await table.due('DUE#0', 1, 10);

    const [call] = mock.commandCalls(QueryCommand);
    expect(call?.args[0].input).toMatchObject({ IndexName: 'due', Limit: 10 });
    expect(call?.args[0].input).not.toHaveProperty('ConsistentRead');
  });

  it('rejects an item without a sort key', async () => {
    mock.on(GetCommand).resolves({ Item: { pk: key.pk } });

    await expect(table.get(key)).rejects.toThrow();
  });
});

describe('writes', () => {
  it('does not report a throttled write as a version conflict', async () => {
    mock.on(PutCommand).rejects(new Error('throughput exceeded'));

    await expect(table.put(key, 1)).rejects.toThrow('throughput exceeded');
  });

  it('names the item and the cause of a version conflict', async () => {
    const cause = new ConditionalCheckFailedException({ message: 'no', $metadata: {} });
    mock.on(PutCommand).rejects(cause);

    const conflict = table.put(key, 1);

    await expect(conflict).rejects.toThrow(VersionConflictError);
    await expect(conflict).rejects.toMatchObject({
      message: 'WATCHES#a a has changed since it was read',
      cause,
    });
  });

  it('retries a write if a transaction holds the item', async () => {
    mock.on(PutCommand).rejectsOnce(HELD).resolves({});

    await table.put(key, 1);

    expect(mock.commandCalls(PutCommand)).toHaveLength(2);
  });

  it('gives up a write after six attempts if transactions hold the item, without a version conflict', async () => {
    mock.on(PutCommand).rejects(HELD);

    await expect(table.put(key, 1)).rejects.toBe(HELD);
    expect(mock.commandCalls(PutCommand)).toHaveLength(6);
  });
});

describe('transactions', () => {
  const writes = [
    { put: { pk: 'A', sk: 'a', version: 2 }, version: 1 },
    { delete: { pk: 'B', sk: 'b' }, version: 3 },
  ];
  const cancelledFor = (...codes: readonly string[]) =>
    new TransactionCanceledException({
      message: 'cancelled',
      $metadata: {},
      CancellationReasons: codes.map((Code) => ({ Code })),
    });

  it('retries a transaction that was cancelled for contention, with a new token', async () => {
    mock
      .on(TransactWriteCommand)
      .rejectsOnce(cancelledFor('None', 'TransactionConflict'))
      .rejectsOnce(cancelledFor('ThrottlingError', 'None'))
      .resolves({});

    await table.transact(writes);

    const calls = mock.commandCalls(TransactWriteCommand);
    const tokens = calls.map(({ args: [{ input }] }) => input.ClientRequestToken);
    expect(new Set(tokens).size).toBe(3);
  });

  it('reports a version conflict without a retry if a condition fails in addition to contention', async () => {
    mock
      .on(TransactWriteCommand)
      .rejects(cancelledFor('TransactionConflict', 'ConditionalCheckFailed'));

    await expect(table.transact(writes)).rejects.toThrow('B b has changed since it was read');
    expect(mock.commandCalls(TransactWriteCommand)).toHaveLength(1);
  });

  it('reports no version conflict if DynamoDB also found the transaction invalid', async () => {
    const cause = cancelledFor('ConditionalCheckFailed', 'ValidationError');
    mock.on(TransactWriteCommand).rejects(cause);

    await expect(table.transact(writes)).rejects.toBe(cause);
  });
});

describe('writes with a lost response', () => {
  const stored = (version: number, writeId: string) => ({
    ...{ pk: { S: key.pk }, sk: { S: key.sk } },
    ...{ version: { N: String(version) }, writeId: { S: writeId } },
  });

  /**
   * Puts an item on a server that drops its first response and then rejects the retry with the item
   * found.
   */
  const putWhere = async (found: (writeId: string) => object | undefined) => {
    await using server = await startHttpServer((response, { body }, count) => {
      if (count === 1) {
        response.destroy();
        return;
      }
      const { Item } = JSON.parse(body);
      const __type = 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException';
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify({ __type, Item: found(Item.writeId.S) }));
    });
    const client = new DynamoDBClient({
      endpoint: server.url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
    mock.restore();
    await createDynamoTable(client, 'Watches', tableRuntime).put({ ...key, version: 2 }, 1);
  };

  it('treats a write as done if the stored item has its write id', async () => {
    await putWhere((writeId) => stored(2, writeId));
  });

  it('reports a version conflict if another writer stored the same version', async () => {
    await expect(putWhere(() => stored(2, 'another'))).rejects.toThrow(VersionConflictError);
  });

  it.each([
    ['the item has a later version', () => stored(3, 'another')],
    ['the item was deleted', () => undefined],
  ])('reports an unknown outcome of a write if %s', async (_, found) => {
    await expect(putWhere(found)).rejects.toThrow(OutcomeUnknownError);
  });
});
