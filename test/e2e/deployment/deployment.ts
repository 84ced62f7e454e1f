import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process, { stdout } from 'node:process';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import * as z from 'zod';
import { startUpstreamServer } from '#test/support/upstream/upstream-server.ts';
import { createCloud } from './cloud.ts';
import { installMinistack, startMinistack } from './ministack.ts';
import { createWatchedMarket } from './watched-market.ts';

/*
 * `npm run e2e`: the synthesized stack is deployed to an emulator of AWS and used from outside only,
 * as an operator and a customer would. Each step is a promise; the first that is broken ends it.
 */

const STAGE = 'e2e';
const STEPS = 12;
const CACHE = join(import.meta.dirname, '..', '..', '..', '.cache');

let passed = 0;

async function step<Value>(promise: string, work: () => Promise<Value>): Promise<Value> {
  const began = performance.now();
  const value = await work();
  passed += 1;
  stdout.write(`ok ${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${promise}\n`);
  return value;
}

async function eventually<Value>(
  what: string,
  ask: () => Promise<Value | undefined>,
): Promise<Value> {
  const deadline = performance.now() + 240_000;
  while (performance.now() < deadline) {
    const value = await ask();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  throw new Error(`${what}: not within four minutes`);
}

const Watches = z.object({
  watches: z.array(z.object({ state: z.string(), value: z.string().nullable() })),
});
const Alert = z.object({ kind: z.string(), value: z.string(), watchlist: z.string() });
const Alerts = z.object({ alerts: z.array(z.object({ kind: z.string() })) });
const Tokens = z.object({ result: z.array(z.object({ token_id: z.string() })) });
const Created = z.object({ event: z.literal('created'), key: z.string() });
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
    apiKey: 'up',
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
  const client = {
    endpoint: ministack.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  };
  const sqs = new SQSClient({ ...client, useQueueUrlAsEndpoint: false });
  const settings = join(folder, 'settings');
  const settle = async (changes: object) => {
    await mkdir(settings, { recursive: true });
    const usual = {
      upstreamUrl,
      upstreamCosts: { floor: 1, lowestprice: 1, price: 1, traits: 1 },
      pollCadenceMinutes: 1,
      retainsData: false,
    };
    await writeFile(join(settings, `${STAGE}.json`), JSON.stringify({ ...usual, ...changes }));
  };

  await step('the account is bootstrapped', () => cloud.bootstrap());
  const outputs = await step('the stack is deployed', async () => {
    const ssm = new SSMClient(client);
    const secrets = { 'upstream-key': 'up', 'channel-key': Buffer.alloc(32, 7).toString('base64') };
    for (const [name, Value] of Object.entries(secrets)) {
      const Name = `/floorwatch/${STAGE}/${name}`;
      await ssm.send(new PutParameterCommand({ Name, Value, Type: 'SecureString' }));
    }
    await settle({});
    return await cloud.deploy(STAGE, settings);
  });
  const [, api = ''] = /^https:\/\/(\w+)\./.exec(outputs.ApiUrl ?? '') ?? [];
  const base = `${ministack.endpoint}/restapis/${api}/${STAGE}/_user_request_`;

  const key = await step('npm run keys makes a key, and without one nobody is heard', async () => {
    const args = ['create', '--stage', STAGE, '--tenant', 'acme', '--scopes', 'read,write'];
    const said = await cloud.operate('keys/keys.ts', args);
    const created = said.map((line) => Created.safeParse(line)).find(({ success }) => success);
    assert.ok(created?.success);
    const refused = await fetch(`${base}/v1/watchlists`);
    assert.equal(refused.status, 401);
    return created.data.key;
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
  const stateIs = (wanted: string) =>
    eventually(`a watch is ${wanted}`, async () => {
      const { body } = await ask('GET', '/v1/watchlists/mine/watches');
      const { watches } = Watches.parse(body);
      return watches.find(({ state }) => state === wanted);
    });

  await step('a watchlist is made over HTTP', async () => {
    const made = await ask('POST', '/v1/watchlists', list);
    assert.equal(made.status, 201, made.text);
  });
  await step('a scheduled poll tells its state', async () => {
    const watch = await stateIs('ok');
    assert.equal(watch.value, '65');
  });
  await step('a crossing reaches the subscribed queue through SNS', async () => {
    market.floorIs('50');
    const body = await eventually('an alert comes', async () => {
      const wait = { QueueUrl, WaitTimeSeconds: 1 };
      const { Messages } = await sqs.send(new ReceiveMessageCommand(wait));
      return Messages?.[0]?.Body;
    });
    const alert = Alert.parse(JSON.parse(body));
    assert.deepEqual(alert, { kind: 'fired', value: '50', watchlist: 'mine' });
    const { body: told } = await ask('GET', '/v1/watchlists/mine/alerts');
    assert.equal(Alerts.parse(told).alerts[0]?.kind, 'fired');
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

  const deadLetters = outputs.ContractsDeadLettersUrl ?? '';
  const waiting = () => waitingIn(sqs, deadLetters);
  await step('a message that is given up lies among the dead letters', async () => {
    const found = await queueNamed(sqs, `floorwatch-${STAGE}-PollingContractsQueue`);
    await cloud.feed(found.name, false);
    const apply = { kind: 'apply', contract: market.contract, tenant: 'acme', list: 'mine' };
    const group = { MessageGroupId: market.contract, MessageDeduplicationId: 'e2e' };
    const send = { QueueUrl: found.url, MessageBody: JSON.stringify(apply), ...group };
    await sqs.send(new SendMessageCommand(send));
    await eventually('it is given up', async () => {
      const take = { QueueUrl: found.url, VisibilityTimeout: 0 };
      await sqs.send(new ReceiveMessageCommand(take));
      return (await waiting()) > 0 ? true : undefined;
    });
    await cloud.feed(found.name, true);
  });
  await step('npm run redrive puts it back to work', async () => {
    const said = await cloud.operate('redrive.ts', ['--stage', STAGE, '--queue', 'contracts']);
    const listed = said.map((line) => DeadLetters.safeParse(line)).find(({ success }) => success);
    assert.equal(listed?.data?.waiting, 1);
    await eventually('nothing is left', async () => ((await waiting()) === 0 ? true : undefined));
  });

  await step('an update of the stack keeps its data', async () => {
    const before = await ask('GET', '/v1/watchlists/mine/rules');
    await settle({ pollCadenceMinutes: 2 });
    const updated = await cloud.deploy(STAGE, settings);
    assert.equal(updated.TableName, outputs.TableName);
    assert.deepEqual((await ask('GET', '/v1/watchlists/mine/rules')).body, before.body);
  });
  await step('the stack is deleted, after its lists', async () => {
    const gone = await ask('DELETE', '/v1/watchlists/mine');
    assert.equal(gone.status, 204, gone.text);
    await cloud.deleteStack(`floorwatch-${STAGE}`);
  });
}

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

/** The last of what the functions and the emulator have said. */
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
  try {
    await walk(installed.python, folder);
  } catch (error) {
    process.exitCode = 1;
    stdout.write(`FAILED ${error instanceof Error ? error.stack : String(error)}\n`);
    stdout.write(`${await lastWords(folder)}\n`);
  }
  stdout.write(`e2e: ${passed} passed, ${process.exitCode === 1 ? 1 : 0} failed\n`);
  await rm(folder, { recursive: true, force: true });
}
