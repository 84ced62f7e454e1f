import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { createBulkTable, TableBusyError } from '#shared/stores/dynamo-bulk-table.ts';
import type { Item } from '#shared/stores/table.ts';
import { ENGINES } from '#test/support/engines.ts';
import { startHttpServer } from '#test/support/http-server.ts';
import { dynamoDbLocal } from '#test/support/tables.ts';

const engines = [...ENGINES, ...(await dynamoDbLocal())];
const some = (count: number, more: object = {}): readonly Item[] =>
  Array.from({ length: count }, (_, number) => ({ pk: 'P', sk: `${number}`, number, ...more }));
const inOrder = (items: readonly Item[]) => items.toSorted((a, b) => Number(a.sk) - Number(b.sk));

describe.each(engines)('many items in $name', (engine) => {
  beforeAll(engine.start);
  afterAll(engine.stop);

  it.each([0, 1, 25, 26, 101, 1000])(
    'items are put, returned and deleted in bulk: %i items',
    async (count) => {
      const table = await engine.createTable();
      const items = some(count);

      await table.putAll(items);
      expect(inOrder(await table.getAll(items))).toEqual(items);
      await table.deleteAll(items);
      expect(await table.getAll(items)).toEqual([]);
    },
  );

  it('a bulk put replaces items regardless of their versions', async () => {
    const table = await engine.createTable();
    await table.putAll(some(2, { version: 7, old: true }));

    await table.putAll(some(2, { young: true, gone: undefined }));

    expect(inOrder(await table.getAll(some(3)))).toEqual(some(2, { young: true }));
    await table.deleteAll(some(5));
    expect(await table.getAll(some(2))).toEqual([]);
  });

  it('large items are put and returned in bulk', async () => {
    const table = await engine.createTable();
    const items = some(45, { text: 'x'.repeat(390_000) });

    await table.putAll(items);

    expect(await table.getAll(items)).toHaveLength(45);
  });
});

describe('a table that leaves items unprocessed', () => {
  const tableAt = (endpoint: string, pause: (attempt: number) => Promise<void>) => {
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials });
    return createBulkTable(client, 'Items', { ...tableRuntime, pause });
  };

  it('unprocessed items are retried until all are written, with a pause before each retry', async () => {
    const put: string[] = [];
    // The server accepts the first item of every other request, and nothing else.
    await using server = await startHttpServer((response, { body }, count) => {
      const [first, ...rest] = JSON.parse(body).RequestItems.Items;
      if (count % 2 === 1) put.push(first.PutRequest.Item.sk.S);
      const left = count % 2 === 1 ? rest : [first, ...rest];
      response.end(JSON.stringify({ UnprocessedItems: left.length > 0 ? { Items: left } : {} }));
    });
    const attempts: number[] = [];
    const table = tableAt(server.url, async (attempt) => void attempts.push(attempt));

    await table.putAll(some(4));

    expect(put).toEqual(['0', '1', '2', '3']);
    expect(attempts).toEqual([1, 2, 1, 2, 1, 2]);
  });

  it('a bulk write is given up if the table never processes an item', async () => {
    await using server = await startHttpServer((response, { body }) => {
      response.end(JSON.stringify({ UnprocessedItems: JSON.parse(body).RequestItems }));
    });

    const put = tableAt(server.url, async () => {}).putAll(some(1));

    await expect(put).rejects.toThrow(TableBusyError);
    expect(server.requests.length).toBeLessThan(20);
  });
});
