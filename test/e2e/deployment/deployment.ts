import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process, { stdout } from 'node:process';
import { CloudFormationClient, ListStacksCommand } from '@aws-sdk/client-cloudformation';
import { ListTopicsCommand, SNSClient } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { DescribeParametersCommand, SSMClient } from '@aws-sdk/client-ssm';
import * as z from 'zod';
import { omit } from '#shared/domain/omit.ts';
import { openBrowser, openPage } from '#test/e2e/console/browser.ts';
import { evenCosts } from '#test/support/even-costs.ts';
import { startUpstreamServer } from '#test/support/upstream/upstream-server.ts';
import { checkWiring } from './check-wiring.ts';
import { createCloud, UPSTREAM_KEY } from './cloud.ts';
import { repeatFirstDeployment } from './first-deployment.ts';
import { loseAndRestore } from './lose-and-restore.ts';
import { installMinistack, startMinistack } from './ministack.ts';
import { eventually, lineOf, step, stepsPassed } from './steps.ts';
import { createWatchedMarket } from './watched-market.ts';

/*
 * `npm run e2e` deploys the synthesized stack to an emulator of AWS, and uses it only from outside,
 * like an operator and a customer. Each step tests a promise, and the first failure ends the run.
 */

const STAGE = 'e2e';
const STEPS = 28;
/**
 * The maximum duration of the run in milliseconds. The run takes about eight minutes, including
 * four minutes of waits for scheduled functions.
 */
const LONGEST = 20 * 60_000;
const CACHE = join(import.meta.dirname, '..', '..', '..', '.cache');

const Watches = z.object({
  watches: z.array(z.object({ state: z.string(), value: z.string().nullable() })),
});
const Alert = z.object({
  id: z.string(),
  kind: z.string(),
  value: z.string().nullable(),
  watchlist: z.string(),
});
const Alerts = z.object({ alerts: z.array(z.object({ kind: z.string() })) });
const Tokens = z.object({ result: z.array(z.object({ token_id: z.string() })) });
const Ready = z.object({
  event: z.literal('ready'),
  url: z.url(),
  tableName: z.string(),
  firstKey: z.object({ key: z.string() }).nullable(),
});
const Planned = z.object({
  event: z.literal('plan'),
  secrets: z.array(z.object({ fate: z.string() })),
});
const Created = z.object({ event: z.literal('created'), key: z.string() });
const Left = z.object({ event: z.literal('left'), secrets: z.array(z.string()) });
/**
 * The maximum duration of a poll in milliseconds. A poll starts within a minute, but takes long in
 * the emulator.
 */
const LONGEST_POLL = 180_000;
/** Each call costs one unit, so that the budget of a day suffices. */
const CHEAP = evenCosts(1);
const Status = z.object({
  healthy: z.literal(true),
  account: z.object({ canary: z.object({ lastAt: z.string() }) }),
});
const DeadLetters = z.object({ event: z.literal('queue'), queue: z.string(), waiting: z.number() });

async function walk(python: string, folder: string): Promise<void> {
  const ministack = await step('the emulator starts', () =>
    startMinistack(python, join(folder, 'ministack.log')),
  );
  const market = createWatchedMarket(Date.now);
  market.floorIs('65');
  const upstream = await startUpstreamServer({
    source: market.source,
    now: Date.now,
    apiKey: UPSTREAM_KEY,
  });
  try {
    await walkWith(ministack, market, upstream.url, folder);
  } finally {
    await upstream.close();
    await ministack.stop();
  }
}

async function walkWith(
  ministack: Awaited<ReturnType<typeof startMinistack>>,
  market: ReturnType<typeof createWatchedMarket>,
  upstreamUrl: string,
  folder: string,
): Promise<void> {
  const cloud = createCloud(ministack, folder);
  const began = Date.now();
  const client = {
    endpoint: ministack.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  };
  const sqs = new SQSClient({ ...client, useQueueUrlAsEndpoint: false });
  const settings = join(folder, 'settings');
  const stage = ['--stage', STAGE, '--settings', settings];
  const setUp = async (...more: readonly string[]) => {
    const said = await cloud.operate('setup', [...stage, '--yes', ...more]);
    return { ready: lineOf(Ready, said), plan: lineOf(Planned, said) };
  };
  const cadence = { pollCadenceMinutes: 1, upstreamCosts: CHEAP, retainsData: false };
  await mkdir(settings);
  await writeFile(join(settings, `${STAGE}.json`), JSON.stringify(cadence));

  const provider = ['--upstream-url', upstreamUrl, '--upstream-key-from', 'env:E2E_UPSTREAM_KEY'];
  const { ready } = await step(
    'npm run operate -- setup brings an empty account to a first key',
    () => setUp(...provider),
  );
  const key = ready.firstKey?.key ?? '';
  const apiOf = (url: string) => /^https:\/\/(\w+)\./.exec(url)?.[1] ?? '';
  const baseOf = (url: string) =>
    `${ministack.endpoint}/restapis/${apiOf(url)}/${STAGE}/_user_request_`;
  const base = baseOf(ready.url);

  await step('requests without a key are refused', async () => {
    const refused = await fetch(`${base}/v1/watchlists`);
    assert.equal(refused.status, 401);
  });
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${base}${path}`, {
      method,
      headers: {
        'x-api-key': key,
        'content-type': 'application/json',
        ...(method === 'DELETE' ? { 'if-match': '*' } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, text, body: text === '' ? undefined : JSON.parse(text) };
  };

  const inbox = await sqs.send(new CreateQueueCommand({ QueueName: 'alerts-of-acme' }));
  const QueueUrl = inbox.QueueUrl ?? '';
  const list = {
    id: 'mine',
    name: 'Mine',
    contracts: [market.contract],
    rules: [{ id: 'low', metric: 'floor_price', when: 'below', threshold: '60' }],
    channels: [
      { id: 'bot', kind: 'sqs', queue: 'arn:aws:sqs:us-east-1:000000000000:alerts-of-acme' },
    ],
  };
  const nextAlert = async () => {
    const wait = { QueueUrl, WaitTimeSeconds: 1 };
    const [message] = (await sqs.send(new ReceiveMessageCommand(wait))).Messages ?? [];
    if (message === undefined) return undefined;
    const { ReceiptHandle, Body = '' } = message;
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    return Alert.parse(JSON.parse(Body));
  };
  const stateIs = (wanted: string) =>
    eventually(`a watch is ${wanted}`, async () => {
      const { body } = await ask('GET', '/v1/watchlists/mine/watches');
      const { watches } = Watches.parse(body);
      return watches.find(({ state }) => state === wanted);
    });

  const ofAnother = ['--tenant', 'wiring', '--scopes', 'admin,operate'];
  const created = await cloud.operate('keys', ['create', ...stage, ...ofAnother]);
  await checkWiring({
    ...{ cloud, client, stackName: `floorwatch-${STAGE}`, api: apiOf(ready.url), base },
    key: lineOf(Created, created).key,
  });

  await step('a watchlist is created over HTTP', async () => {
    const made = await ask('POST', '/v1/watchlists', list);
    assert.equal(made.status, 201, made.text);
  });
  await step('the traits search is passed on to the provider', async () => {
    const path = `/api/v2.2/nft/${market.address}/nfts-by-traits?chain=eth`;
    const { body, text } = await ask('POST', path, { traits: { Hat: 'Crown' } });
    assert.deepEqual(
      Tokens.safeParse(body).data?.result.map((one) => one.token_id),
      ['7'],
      text,
    );
  });

  const contracts = await queueNamed(sqs, `floorwatch-${STAGE}-PollingContractsQueue`);
  const deadLetters = await queueNamed(sqs, `floorwatch-${STAGE}-PollingContractsDeadLetters`);
  const waiting = () => waitingIn(sqs, deadLetters.url);
  await step('a message that is given up becomes a dead letter', async () => {
    await cloud.feed(contracts.name, false);
    const apply = { kind: 'apply', contract: market.contract, tenant: 'main', list: 'mine' };
    const group = { MessageGroupId: market.contract, MessageDeduplicationId: 'e2e' };
    const send = { QueueUrl: contracts.url, MessageBody: JSON.stringify(apply), ...group };
    await sqs.send(new SendMessageCommand(send));
    await eventually('it is given up', async () => {
      const take = { QueueUrl: contracts.url, VisibilityTimeout: 0 };
      await sqs.send(new ReceiveMessageCommand(take));
      return (await waiting()) > 0 ? true : undefined;
    });
    await cloud.feed(contracts.name, true);
  });
  await step('npm run operate -- redrive moves it back to its queue', async () => {
    const said = await cloud.operate('redrive', [...stage, '--queue', 'contracts']);
    assert.equal(lineOf(DeadLetters, said).waiting, 1);
    await eventually('nothing is left', async () => ((await waiting()) === 0 ? true : undefined));
  });

  await step('a scheduled poll reports the state of a watch', async () => {
    const watch = await stateIs('ok');
    assert.equal(watch.value, '65');
  });
  market.floorIs('50');
  await step('npm run operate -- setup updates the stack, and keeps its data', async () => {
    const before = await ask('GET', '/v1/watchlists/mine/rules');
    const { ready: updated, plan } = await setUp('--budget-per-day', '50000');
    assert.deepEqual(updated, { ...ready, firstKey: null });
    assert.deepEqual([...new Set(plan.secrets.map(({ fate }) => fate))], ['stays']);
    assert.deepEqual((await ask('GET', '/v1/watchlists/mine/rules')).body, before.body);
  });
  await step('a crossing during the update reaches the subscribed queue through SNS', async () => {
    const alert = omit(await eventually('an alert comes', nextAlert), 'id');
    const news = { kind: 'fired', value: '50' };
    assert.deepEqual(alert, { ...news, watchlist: 'mine' });
    const { body: reported } = await ask('GET', '/v1/watchlists/mine/alerts');
    assert.equal(Alerts.parse(reported).alerts[0]?.kind, news.kind);
  });

  await step('the canary returns, and npm run operate -- status shows its time', async () => {
    const queue = await queueNamed(sqs, `canary-of-floorwatch-${STAGE}`);
    await eventually('it is back', async () => (await waitingIn(sqs, queue.url)) > 0 || undefined);
    const { canary } = lineOf(Status, await cloud.operate('status', stage)).account;
    assert.ok(Date.parse(canary.lastAt) > began, canary.lastAt);
  });

  await step('the console is served, and a rule that is created there fires', () =>
    makeRuleThatFires(`${base}/app#key=${key}`, market.contract),
  );

  await loseAndRestore({
    ...{ cloud, client, folder, key, list, baseOf, nextAlert, initial: cadence },
    ...{ table: ready.tableName, url: ready.url, upstream: provider },
    cross: () => market.floorIs('65'),
  });

  await step('npm run operate -- setup starts over with an empty table', async () => {
    const { ready: anew } = await setUp(
      '--table',
      'new',
      '--upstream-key-from',
      'env:E2E_UPSTREAM_KEY',
    );
    assert.notEqual(anew.firstKey, null);
  });
  await step('npm run operate -- destroy leaves nothing of the stage', async () => {
    const ours = async () => ({
      stacks: await namesOfStacks(new CloudFormationClient(client)),
      topics: await namesOfTopics(new SNSClient(client)),
      parameters: await namesOfParameters(new SSMClient(client)),
    });
    const before = await ours();
    assert.deepEqual([before.stacks.length, before.parameters.length], [1, 6]);
    assert.ok(before.topics.some((name) => name.startsWith(`floorwatch-${STAGE}-`)));

    const said = await cloud.operate('destroy', [...stage, '--yes', STAGE]);

    assert.deepEqual(lineOf(Left, said).secrets, []);
    assert.deepEqual(await ours(), { stacks: [], topics: [], parameters: [] });
    assert.equal(existsSync(join(settings, `${STAGE}.json`)), false);
  });
  await repeatFirstDeployment({ cloud, client, folder, upstream: provider });
}

/**
 * Creates a rule in the console, and waits until the page shows that it fires. Polls run each
 * minute.
 */
async function makeRuleThatFires(console: string, contract: string): Promise<void> {
  const browser = await openBrowser();
  try {
    const { page, troubles } = await openPage(browser);
    await page.goto(console);
    page.setDefaultTimeout(LONGEST_POLL);
    await page.locator(`a[href="#/collections/${encodeURIComponent(contract)}"]`).click();
    await page.getByRole('link', { name: 'New rule' }).click();
    await page
      .getByLabel('Condition', { exact: true })
      .selectOption({ label: 'rises to or above' });
    await page.getByLabel(/^Threshold/).fill('1');
    await page.getByText('More', { exact: true }).click();
    await page.getByLabel('Name in messages').fill('Made in the console');
    await page.getByRole('button', { name: 'Save rule' }).click();
    const rule = page.getByRole('listitem').filter({ hasText: 'Made in the console' }).first();
    await rule.getByText('Firing').waitFor();
    assert.deepEqual(troubles, []);
  } finally {
    await browser.close();
  }
}

async function namesOfStacks(client: CloudFormationClient): Promise<readonly string[]> {
  const { StackSummaries = [] } = await client.send(new ListStacksCommand({}));
  return StackSummaries.filter(({ StackStatus }) => StackStatus !== 'DELETE_COMPLETE')
    .map(({ StackName = '' }) => StackName)
    .filter(isOurs);
}

async function namesOfTopics(client: SNSClient): Promise<readonly string[]> {
  const { Topics = [] } = await client.send(new ListTopicsCommand({}));
  return Topics.map(({ TopicArn = '' }) => TopicArn.slice(TopicArn.lastIndexOf(':') + 1)).filter(
    isOurs,
  );
}

async function namesOfParameters(client: SSMClient): Promise<readonly string[]> {
  const { Parameters = [] } = await client.send(new DescribeParametersCommand({}));
  return Parameters.map(({ Name = '' }) => Name).filter(isOurs);
}

const isOurs = (name: string) => name.includes('floorwatch');

async function queueNamed(sqs: SQSClient, prefix: string) {
  const { QueueUrls } = await sqs.send(new ListQueuesCommand({ QueueNamePrefix: prefix }));
  const url = QueueUrls?.[0];
  if (url === undefined) throw new Error(`there is no queue ${prefix}…`);
  return { url, name: url.slice(url.lastIndexOf('/') + 1) };
}

async function waitingIn(sqs: SQSClient, QueueUrl: string): Promise<number> {
  const AttributeNames = ['ApproximateNumberOfMessages' as const];
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames }),
  );
  return Number(Attributes?.ApproximateNumberOfMessages);
}

/** The last output of the functions and of the emulator. */
async function lastWords(folder: string): Promise<string> {
  const log = await readFile(join(folder, 'ministack.log'), 'utf8').catch(() => '');
  return log.split('\n').slice(-30).join('\n');
}

const installed = await installMinistack(CACHE);
if ('missing' in installed) {
  stdout.write(`SKIPPED: the emulator of AWS cannot be installed here: ${installed.missing}\n`);
  stdout.write(`e2e: 0 passed, 0 failed, ${STEPS} skipped\n`);
} else {
  const folder = await mkdtemp(join(tmpdir(), 'floorwatch-e2e-'));
  const late = new Promise<never>((_resolve, reject) => {
    const fail = () => reject(new Error(`not done within ${LONGEST / 60_000} minutes`));
    setTimeout(fail, LONGEST).unref();
  });
  let failed = 0;
  try {
    await Promise.race([walk(installed.python, folder), late]);
  } catch (error) {
    failed = 1;
    stdout.write(`FAILED ${error instanceof Error ? error.stack : String(error)}\n`);
    stdout.write(`${await lastWords(folder)}\n`);
  }
  stdout.write(`e2e: ${stepsPassed()} passed, ${failed} failed\n`);
  await rm(folder, { recursive: true, force: true });
  // A step that exceeds its time is still running, so the process must be ended.
  process.exit(failed);
}
