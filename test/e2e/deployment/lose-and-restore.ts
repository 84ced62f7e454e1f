import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  DescribeContinuousBackupsCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ListTablesCommand,
  UpdateContinuousBackupsCommand,
} from '@aws-sdk/client-dynamodb';
import { DeleteTopicCommand, ListTopicsCommand, SNSClient } from '@aws-sdk/client-sns';
import * as z from 'zod';
import type { createCloud } from './cloud.ts';
import { eventually, lineOf, step } from './steps.ts';

const STAGE = 'e2e';

const Restored = z.object({ event: z.literal('restored'), table: z.string(), source: z.string() });
const Created = z.object({ event: z.literal('created'), key: z.string(), id: z.string() });
const Adopted = z.object({ event: z.literal('adopted'), table: z.string(), topics: z.number() });
const Left = z.object({
  event: z.literal('left'),
  resources: z.array(z.object({ type: z.string(), id: z.string() })),
  secrets: z.array(z.string()),
});
const Ready = z.object({
  event: z.literal('ready'),
  url: z.url(),
  tableName: z.string(),
  firstKey: z.unknown().nullable(),
});

/** Alerts sent before a restore have numbers below this, and alerts sent after it numbers above. */
const FIRST_AFTER_RESTORE = 1_000_000;

type Losses = {
  readonly cloud: ReturnType<typeof createCloud>;
  readonly client: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  };
  /** The folder that contains the settings folders of this checkout and of another one. */
  readonly folder: string;
  /** The settings of a checkout before anything is deployed. */
  readonly initial: object;
  readonly table: string;
  readonly key: string;
  readonly list: { readonly id: string };
  readonly baseOf: (url: string) => string;
  readonly url: string;
  readonly upstream: readonly string[];
  /** Moves the price across the threshold of a rule, which then sends an alert. */
  readonly cross: () => void;
  /** The next alert in the tenant's queue, or undefined if none arrives. */
  readonly nextAlert: () => Promise<{ readonly id: string } | undefined>;
};

/**
 * A list is deleted by mistake, and with it its topic. Then the whole stack is deleted. The
 * emulator restores a table in its present state, whatever time is requested, so the losses happen
 * after the restore.
 */
export async function loseAndRestore(given: Losses): Promise<void> {
  const { cloud, client, folder, table, key, list, baseOf, url, cross, nextAlert } = given;
  const dynamodb = new DynamoDBClient(client);
  const sns = new SNSClient(client);
  const settings = join(folder, 'settings');
  const stage = ['--stage', STAGE, '--settings', settings];
  const path = `/v1/watchlists/${list.id}`;
  const ask = (base: string, method: string, headers: Record<string, string> = {}) =>
    fetch(`${base}${path}`, { method, headers: { 'x-api-key': key, ...headers } });
  const statusOf = async (base: string, headers = {}) => (await ask(base, 'GET', headers)).status;

  const second = lineOf(
    Created,
    await cloud.operate('keys', ['create', ...stage, '--tenant', 'main']),
  );
  // The emulator's CloudFormation does not apply these settings.
  await dynamodb.send(
    new UpdateContinuousBackupsCommand({
      TableName: table,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    }),
  );
  const restored = await step(
    'npm run operate -- restore creates a table, and does not change the stack',
    async () => {
      const said = await cloud.operate('restore', [...stage, '--at', 'latest']);
      const { table: made, source } = lineOf(Restored, said);
      assert.equal(source, table);
      assert.deepEqual((await tablesOf(dynamodb)).toSorted(), [made, table].toSorted());
      return made;
    },
  );

  await step('a list and its topic are deleted, and a key is revoked', async () => {
    const base = baseOf(url);
    assert.equal((await ask(base, 'DELETE', { 'if-match': '*' })).status, 204);
    assert.equal(await statusOf(base), 404);
    await loseTopics(sns);
    await cloud.operate('keys', ['revoke', second.id, ...stage]);
  });

  await step('npm run operate -- setup points the stack at the restored table', async () => {
    const said = await cloud.operate('setup', [...stage, '--yes', '--table', restored]);
    assert.equal(lineOf(Ready, said).tableName, restored);
    // The second topic belongs to the canary.
    assert.equal(lineOf(Adopted, said).topics, 2);
    assert.equal(await statusOf(baseOf(url)), 200);
    assert.deepEqual(await settingsOf(dynamodb, restored), ['ENABLED', 'ttl', 'ENABLED']);
  });
  await step('a key that was revoked after the restore remains revoked', async () => {
    assert.equal(await statusOf(baseOf(url), { 'x-api-key': second.key }), 401);
  });
  await step('a deleted topic is created again, and receives alerts with new ids', async () => {
    while ((await nextAlert()) !== undefined);
    cross();
    const alert = await eventually('an alert comes', nextAlert);
    assert.ok(Number(alert.id.split('.')[2]) > FIRST_AFTER_RESTORE, alert.id);
  });

  await step('npm run operate -- destroy keeps a restored table and its secrets', async () => {
    const args = [...stage, '--yes', STAGE, '--leave-data'];
    const left = lineOf(Left, await cloud.operate('destroy', args));
    assert.deepEqual(left.secrets, [
      `/floorwatch/${STAGE}/channel-key`,
      `/floorwatch/${STAGE}/push-key`,
    ]);
    assert.ok(left.resources.some(({ id }) => id === restored));
    assert.deepEqual(await topicsOf(sns), []);
    assert.ok(existsSync(join(settings, `${STAGE}.json`)));
  });
  await step(
    'npm run operate -- setup of another checkout finds the table that was kept',
    async () => {
      const other = join(folder, 'other-settings');
      await mkdir(other);
      await writeFile(join(other, `${STAGE}.json`), JSON.stringify(given.initial));
      const about = ['--stage', STAGE, '--settings', other, '--yes', ...given.upstream];
      const ready = lineOf(Ready, await cloud.operate('setup', about));
      assert.deepEqual([ready.tableName, ready.firstKey], [restored, null]);
      assert.equal(await statusOf(baseOf(ready.url)), 200);
      await eventually('its list has a topic again', async () =>
        (await topicsOf(sns)).length === 0 ? undefined : true,
      );
      await cp(join(other, `${STAGE}.json`), join(settings, `${STAGE}.json`));
    },
  );
}

async function tablesOf(client: DynamoDBClient): Promise<readonly string[]> {
  const { TableNames = [] } = await client.send(new ListTablesCommand({}));
  return TableNames.filter((name) => name.startsWith(`floorwatch-${STAGE}-`));
}

/** The settings of a table: time to live, and point-in-time recovery. */
async function settingsOf(client: DynamoDBClient, TableName: string) {
  const { TimeToLiveDescription: ttl } = await client.send(
    new DescribeTimeToLiveCommand({ TableName }),
  );
  const { ContinuousBackupsDescription: backups } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName }),
  );
  const recovery = backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
  return [ttl?.TimeToLiveStatus, ttl?.AttributeName, recovery];
}

/** The ARNs of all topics that belong to lists, recognized by their names. */
async function topicsOf(sns: SNSClient): Promise<readonly string[]> {
  const { Topics = [] } = await sns.send(new ListTopicsCommand({}));
  return Topics.flatMap(({ TopicArn = '' }) =>
    new RegExp(`:floorwatch-${STAGE}-[0-9a-f]{32}-[0-9a-f]{32}$`).test(TopicArn) ? [TopicArn] : [],
  );
}

async function loseTopics(sns: SNSClient): Promise<void> {
  for (const TopicArn of await topicsOf(sns)) await sns.send(new DeleteTopicCommand({ TopicArn }));
}
