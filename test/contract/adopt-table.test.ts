import { CreateTableCommand, DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { mutedWith } from '#shared/domain/channels/alert-record.ts';
import { newChannelRecord, turnedOff } from '#shared/domain/channels/channel-record.ts';
import { channelDestinationId } from '#shared/domain/channels/destination-id.ts';
import { firstValueDueAt, NUMBERS_LEAP } from '#shared/domain/evaluation/watch.ts';
import { DAY } from '#shared/domain/market/instant.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { adoptTable } from '#shared/stores/adopt-table.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import { createChannelStore } from '#shared/stores/channel-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import { createJobStore } from '#shared/stores/job-store.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import { aKey, aKeyRecord, putKey } from '#test/support/api-keys.ts';
import {
  aContractRecord,
  anAlert,
  anInboxEntry,
  aWatch,
  aWatchlist,
  NOON,
} from '#test/support/builders.ts';
import { DEPLOYED_TABLE } from '#test/support/stack-table.ts';
import { dynamoDbLocal, TABLE_SCHEMA } from '#test/support/tables.ts';

const BEFORE = DEPLOYED_TABLE;
const RESTORED = 'floorwatch-dev-Restored-1';

const [engine] = await dynamoDbLocal();
beforeAll(async () => await engine?.start());
afterAll(async () => await engine?.stop());

/**
 * A DynamoDB Local client, with these tables created. `adoptTable` uses Scan and UpdateItem, which
 * no fake supports.
 */
async function aClient(...tables: readonly string[]): Promise<DynamoDBClient> {
  const client = new DynamoDBClient({
    endpoint: engine?.endpoint() ?? '',
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  onTestFinished(async () => {
    for (const TableName of tables) await client.send(new DeleteTableCommand({ TableName }));
    client.destroy();
  });
  for (const TableName of tables) {
    await client.send(new CreateTableCommand({ ...TABLE_SCHEMA, TableName }));
  }
  return client;
}

/** A restored table, and the table that the stack has used since. */
async function twoTables() {
  const client = await aClient(BEFORE, RESTORED);
  const storesIn = (name: string) => {
    const table = createDynamoTable(client, name, tableRuntime);
    return {
      table,
      keys: createApiKeyStore(table),
      inboxes: createInboxStore(table),
      jobs: createJobStore(table),
      channels: createChannelStore(table),
      contracts: createContractStore(table, () => NOON),
      lists: createWatchlistStore(table),
      watches: createWatchStore(table),
    };
  };
  const adopt = () => adoptTable(client, { name: RESTORED, before: BEFORE, now: NOON });
  return { restored: storesIn(RESTORED), before: storesIn(BEFORE), adopt };
}

describe.skipIf(engine === undefined)('a restored table', () => {
  it('a restored table takes over the keys and counters of the table in use, and keeps its additional keys', async () => {
    const { restored, before, adopt } = await twoTables();
    const [revoked, made, lost] = [aKey(1), aKey(2), aKey(3)];
    await putKey(restored.keys, aKeyRecord(revoked));
    await putKey(restored.keys, aKeyRecord(lost));
    await putKey(before.keys, aKeyRecord(revoked, { revokedAt: NOON }));
    await putKey(before.keys, aKeyRecord(made));
    const rateLimiter = { pk: 'UPSTREAM', sk: 'RATE_LIMITER#opensea' };
    await restored.table.put({ ...rateLimiter, spent: 1 });
    await before.table.put({ ...rateLimiter, spent: 7 });
    const others = [
      { pk: 'USAGE#acme', sk: 'PROVIDER' },
      { pk: 'TENANT#acme', sk: 'ADDRESS#a' },
      { pk: 'DISPATCH#0', sk: 'PROGRESS' },
    ];
    for (const key of others) await before.table.put({ ...key, spent: 7 });

    const { carried } = await adopt();

    expect(carried).toBe(7);
    expect((await restored.keys.find(revoked))?.revokedAt).toBe(NOON);
    expect(await restored.keys.find(made)).toBeDefined();
    expect((await restored.keys.find(lost))?.revokedAt).toBeUndefined();
    for (const key of [rateLimiter, ...others]) {
      expect(await restored.table.get(key)).toMatchObject({ spent: 7 });
    }
  });

  it('a restored table sends nothing to a channel that ended after the backup, unless its address has changed', async () => {
    const { restored, before, adopt } = await twoTables();
    const at = (id: string, configuration: string) => ({
      ...newChannelRecord(`acme#punks#${id}`, NOON),
      configuration,
    });
    const confirmed = { state: 'confirmed', since: NOON } as const;
    const ended = { state: 'ended', since: NOON } as const;
    for (const id of ['reader', 'moved', 'works', 'gone']) {
      const subscription = id === 'gone' ? {} : { subscription: confirmed };
      await restored.channels.put({ ...at(id, 'a'), ...subscription });
    }
    await before.channels.put({ ...at('reader', 'a'), subscription: ended });
    await before.channels.put({ ...at('moved', 'b'), subscription: ended });
    await before.channels.put({ ...at('works', 'a'), subscription: confirmed });
    await before.channels.put(turnedOff(at('gone', 'a'), 'it came back', NOON));
    await before.channels.put({ ...at('new', 'a'), subscription: ended });

    const done = await adopt();

    const stateOf = async (id: string) =>
      (await restored.channels.get(`acme#punks#${id}`))?.subscription?.state;
    expect(done.ended).toBe(2);
    expect(await Promise.all(['reader', 'moved', 'works', 'gone', 'new'].map(stateOf))).toEqual([
      ...['ended', 'confirmed', 'confirmed', undefined, undefined],
    ]);
    expect((await restored.channels.get('acme#punks#gone'))?.off?.reason).toBe('it came back');
  });

  it('a restored table reuses no alert, revision or version numbers', async () => {
    const { restored, adopt } = await twoTables();
    const watch = await restored.watches.put(aWatch({ version: 0, alerts: 3, state: 'firing' }));
    await restored.lists.put(aWatchlist());
    const record = await restored.contracts.put(aContractRecord({ version: 0 }));

    const { renumbered } = await adopt();

    const found = await restored.watches.get(watch);
    expect(renumbered).toBe(3);
    expect(found).toEqual({
      ...watch,
      alerts: 3 + NUMBERS_LEAP,
      version: watch.version + NUMBERS_LEAP,
    });
    expect((await restored.lists.get(aWatchlist()))?.revision).toBe(1 + NUMBERS_LEAP);
    expect((await restored.contracts.get(record.contract))?.version).toBe(
      record.version + NUMBERS_LEAP,
    );
  });

  it('a restored table keeps the number of an open episode, which receivers already know', async () => {
    const { restored, adopt } = await twoTables();
    const [open, over] = [
      await restored.watches.put(aWatch({ version: 0, episode: 2, state: 'firing' })),
      await restored.watches.put(aWatch({ version: 0, rule: 'over', episode: 2, state: 'ok' })),
    ];

    await adopt();

    expect((await restored.watches.get(open))?.episode).toBe(2);
    expect((await restored.watches.get(over))?.episode).toBe(2 + NUMBERS_LEAP);
  });

  it('a restored table still reports a missing first value', async () => {
    const { restored, adopt } = await twoTables();
    const watch = await restored.watches.put(aWatch({ version: 0, alerts: 0, state: 'unknown' }));
    const dueAt = firstValueDueAt(watch);

    await adopt();

    const found = await restored.watches.get(watch);
    expect(dueAt).toBeDefined();
    expect(found && firstValueDueAt(found)).toBe(dueAt);
    expect(found?.alerts).toBe(NUMBERS_LEAP);
  });

  it('a restored table marks each list created after the backup as deleted, with a higher revision', async () => {
    const { restored, before, adopt } = await twoTables();
    const list = { ...aWatchlist(), id: 'since' };
    await before.lists.put(list);

    await adopt();

    expect(await restored.lists.get(list)).toMatchObject({
      ...{ deleted: true, members: [], rules: [], channels: [] },
      revision: list.revision + NUMBERS_LEAP,
    });
  });

  it('the adoption of a restored table counts, per list, the unsent alerts that only the table in use has', async () => {
    const { restored, before, adopt } = await twoTables();
    const [known, inInbox, muted] = ['1', '2', '3'].map((n) => anAlert({ id: `a.1.${n}` }));
    const entry = (alert = anAlert(), channel = 'desk') =>
      anInboxEntry(channelDestinationId({ tenant: 'acme', id: 'punks' }, channel), alert);
    await restored.inboxes.put(entry(known));
    for (const one of [entry(known), entry(inInbox), entry(inInbox, 'second')]) {
      await before.inboxes.put(one);
    }
    const record = newChannelRecord('acme#punks#desk', NOON);
    const held = mutedWith(undefined, [entry(known), entry(muted)], NOON + DAY);
    await before.inboxes.mute(record, [], [held.muted], []);

    expect((await adopt()).unsent).toEqual({ 'acme/punks': 2 });
  });

  it('a restored table makes topic jobs due immediately, and other jobs at their own times', async () => {
    const { restored, adopt } = await twoTables();
    const list = { tenant: 'acme', id: 'punks' } as const;
    const common = { list, revision: 1, createdAt: NOON, dueAt: NOON + DAY, version: 1 };
    await restored.jobs.make({ ...common, target: { kind: 'topic' } });
    await restored.jobs.make({ ...common, target: { kind: 'report' } });

    const { topics } = await adopt();

    expect(topics).toBe(1);
    expect((await restored.jobs.get(list, { kind: 'topic' }))?.dueAt).toBe(NOON);
    expect((await restored.jobs.get(list, { kind: 'report' }))?.dueAt).toBe(NOON + DAY);
  });

  it('a restored table is adopted even if the earlier table is gone, and may be adopted again', async () => {
    const client = await aClient(DEPLOYED_TABLE);
    const watches = createWatchStore(createDynamoTable(client, DEPLOYED_TABLE, tableRuntime));
    const watch = await watches.put(aWatch({ version: 0, alerts: 1, state: 'ok' }));
    const adopt = () => adoptTable(client, { name: DEPLOYED_TABLE, before: undefined, now: NOON });

    expect(await adopt()).toEqual({
      ...{ carried: 0, ended: 0, renumbered: 1, topics: 0 },
      unsent: {},
    });
    await adopt();

    expect((await watches.get(watch))?.alerts).toBe(1 + 2 * NUMBERS_LEAP);
  });
});
