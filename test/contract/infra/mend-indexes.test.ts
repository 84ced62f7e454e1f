import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  PutItemCommand,
  ScanCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { create, updateIndexes } from 'dynalite/db/index.js';
import { expect, it, onTestFinished } from 'vitest';
import { closeServer, listen } from '#infra/local/runtime/loopback.ts';
import { mendIndexes } from '#infra/local/runtime/mend-indexes.ts';

const keys = (hash: string, range: string) => [
  { AttributeName: hash, KeyType: 'HASH' as const },
  { AttributeName: range, KeyType: 'RANGE' as const },
];
const Projection = { ProjectionType: 'KEYS_ONLY' as const };
const table = {
  TableName: 'Watches',
  AttributeDefinitions: ['pk', 'sk', 'falling', 'dueShard', 'dueAt'].map((AttributeName) => ({
    AttributeName,
    AttributeType: AttributeName === 'dueAt' ? 'N' : 'S',
  })),
  KeySchema: keys('pk', 'sk'),
  BillingMode: 'PAY_PER_REQUEST',
  LocalSecondaryIndexes: [{ IndexName: 'falling', KeySchema: keys('pk', 'falling'), Projection }],
  GlobalSecondaryIndexes: [{ IndexName: 'due', KeySchema: keys('dueShard', 'dueAt'), Projection }],
} satisfies CreateTableCommandInput;

const anItem = (sk: string, attributes: object = {}) => ({
  pk: { S: 'WATCHES' },
  sk: { S: sk },
  state: { S: 'ok' },
  ...attributes,
});
const due = (at: number) => ({ dueShard: { S: 'DUE#0' }, dueAt: { N: String(at) } });
const falling = (line: string) => ({ falling: { S: line } });

it('makes the indexes say what the items say, whatever write was cut short', async () => {
  const path = await mkdtemp(join(tmpdir(), 'floorwatch-test-'));
  onTestFinished(() => rm(path, { recursive: true }));
  const items = [
    anItem('forgotten', { ...due(100), ...falling('60') }),
    anItem('moved', { ...due(200), ...falling('70') }),
    anItem('idle'),
    anItem('sound', { ...due(300), ...falling('80') }),
  ];
  const before = await aDatabase(path);
  await before.client.send(new CreateTableCommand(table));
  const waiting = { client: before.client, maxWaitTime: 20, minDelay: 1, maxDelay: 1 };
  await waitUntilTableExists(waiting, { TableName: 'Watches' });
  for (const Item of items) {
    await before.client.send(new PutItemCommand({ TableName: 'Watches', Item }));
  }
  await before.close();
  const [forgotten, moved, idle] = items;
  await killedBeforeItsItem(path, [
    [forgotten, anItem('forgotten')],
    [moved, anItem('moved', { ...due(250), ...falling('75') })],
    [idle, anItem('idle', due(1))],
    [undefined, anItem('new', { ...due(2), ...falling('1') })],
  ]);
  const after = await aDatabase(path);
  onTestFinished(after.close);

  const broken = await after.entries();
  await mendIndexes(after.client, 'Watches', table);

  expect(broken).not.toEqual(entriesOf(items));
  expect(await after.entries()).toEqual(entriesOf(items));
  expect(await after.scan()).toEqual(items.toSorted(bySortKey));
});

type Item = ReturnType<typeof anItem>;

/** What dynalite does of a write before it writes the item. */
async function killedBeforeItsItem(path: string, writes: [Item | undefined, Item][]) {
  const store = create({ path });
  const description = await promisify(store.getTable)('Watches');
  for (const [known, item] of writes) {
    await promisify(updateIndexes)(store, description, known, item);
  }
  await store.db.close();
}

async function aDatabase(path: string) {
  const server = dynalite({ path, createTableMs: 0 });
  const endpoint = await listen(server);
  const client = new DynamoDBClient({
    region: 'us-east-1',
    endpoint,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const scan = async (IndexName?: string) => {
    const { Items = [] } = await client.send(new ScanCommand({ TableName: 'Watches', IndexName }));
    return (Items as Item[]).toSorted(bySortKey);
  };
  return {
    client,
    scan,
    entries: async () => ({ falling: await scan('falling'), due: await scan('due') }),
    close: async () => {
      client.destroy();
      await closeServer(server);
    },
  };
}

const bySortKey = (a: Item, b: Item) => a.sk.S.localeCompare(b.sk.S);

function entriesOf(items: readonly Item[]) {
  const entries = (names: readonly string[]) =>
    items
      .filter((item) => names.every((name) => name in item))
      .map((item) =>
        Object.fromEntries(
          Object.entries(item).filter(([name]) => ['pk', 'sk', ...names].includes(name)),
        ),
      )
      .toSorted((a, b) => bySortKey(a as Item, b as Item));
  return { falling: entries(['falling']), due: entries(['dueShard', 'dueAt']) };
}
