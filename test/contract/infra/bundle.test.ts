import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DeleteMessageCommand, type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { slugFor } from '#infra/local/upstream/opensea-answers.ts';
import { createSimulatedMarket } from '#infra/local/upstream/simulated-market.ts';
import { publicHalfOf } from '#shared/clients/channel-key.ts';
import { publicPushKeyOf } from '#shared/clients/push-key.ts';
import { USER_AGENT } from '#shared/clients/user-agent.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { aKey, aKeyRecord, putKey } from '#test/support/api-keys.ts';
import {
  createResources,
  type Engines,
  type Publication,
  startEngines,
} from '#test/support/aws-engines.ts';
import { anHttpRequest } from '#test/support/builders.ts';
import { bundleFunctions } from '#test/support/bundles.ts';
import { CHANNEL_KEY } from '#test/support/channel-keys.ts';
import { chatOriginsAt } from '#test/support/chats.ts';
import { type HttpServer, startHttpServer } from '#test/support/http-server.ts';
import { INSTANT_KEY, startOpenSea } from '#test/support/opensea/opensea-double.ts';
import { PUSH_KEY } from '#test/support/push-key.ts';

const { functions, stackOn } = bundleFunctions();

/** Each byte is read and compiled at every cold start, and this time is billed. */
const kilobytes: Readonly<Record<string, number>> = {
  'act-on-alert': 451,
  'authorize-request': 283,
  // The clients of the table, topics and queues, and one for each kind of channel.
  'deliver-messages': 553,
  // Without the 2.5 MB renderer and its font, which are separate files.
  'draw-chart': 335,
  'manage-channels': 472,
  'manage-keys': 340,
  // Includes the code of all providers.
  'poll-prices': 475,
  'record-bounces': 340,
  'run-contracts': 455,
  // This function creates alerts, and calls the provider to update lists from their wallets.
  'run-jobs': 535,
  // Previews and forecasts need the code that evaluates watches and writes alert texts.
  'serve-api': 650,
  'serve-nft-data': 413,
  'serve-pages': 117,
  'wake-work': 340,
};

it('every function is bundled', () => {
  expect(functions.map(({ folder }) => folder)).toEqual(Object.keys(kilobytes));
});

it.each(functions)(
  'the size of the bundle $folder is within 10% of the listed size',
  ({ folder, file }) => {
    const growth = statSync(file).size / 1000 / (kilobytes[folder] ?? 0);

    expect(growth).toBeGreaterThan(0.9);
    expect(growth).toBeLessThan(1.1);
  },
);

/**
 * The path of a price from a list to its message. Each step runs a bundle in a fresh process, with
 * the environment variables of the template and of Lambda. Every other function receives one
 * request.
 */
describe('the bundles', () => {
  const published: Publication[] = [];
  let engines: Engines;
  let upstream: HttpServer;
  let slack: HttpServer;
  const folders: string[] = [];

  beforeAll(async () => {
    engines = await startEngines({
      parameters: new Map([
        ['/floorwatch/dev/upstream-key', 'key-of-the-stack'],
        [OPENSEA_KEY, INSTANT_KEY],
        ['/floorwatch/dev/channel-key', CHANNEL_KEY],
        ['/floorwatch/dev/channel-public-key', publicHalfOf(CHANNEL_KEY)],
        ['/floorwatch/dev/push-key', PUSH_KEY],
        ['/floorwatch/dev/push-public-key', publicPushKeyOf(PUSH_KEY)],
        ['/floorwatch/dev/link-key', 'the key of links'],
      ]),
      now: Date.now,
      onPublish: async (publication) => {
        published.push(publication);
      },
    });
    await createResources(engines, stackOn(engines.queueOrigin));
    upstream = await startHttpServer((response) => {
      // A floor that is newer than the request counts only in the next poll.
      const timestamp = new Date(Date.now() - MINUTE).toISOString();
      response.end(JSON.stringify({ result: [{ ...FLOOR, timestamp }] }));
    });
    slack = await startHttpServer((response) => response.end('ok'));
  });
  afterAll(async () => {
    await engines.close();
    for (const server of [upstream, slack]) await server[Symbol.asyncDispose]();
    for (const folder of folders) await rm(folder, { recursive: true });
  });

  /**
   * Sends an event to a cold start of a function, which must not load slow modules that it never
   * uses.
   */
  async function invoke(
    folder: string,
    event: unknown,
    variables: Readonly<Record<string, string>> = {},
  ): Promise<unknown> {
    const found = functions.find((one) => one.folder === folder);
    if (found === undefined) throw new Error(`there is no bundle of ${folder}`);
    const cwd = await mkdtemp(join(tmpdir(), 'floorwatch-start-'));
    folders.push(cwd);
    await copyFile(found.file, join(cwd, 'index.js'));
    const { stdout } = await run(process.execPath, ['-e', START, JSON.stringify(event)], {
      cwd,
      // The maximum size of a response from a Lambda function.
      maxBuffer: 6 * 1024 * 1024,
      env: {
        ...found.variablesOn(engines.queueOrigin),
        ...LAMBDA,
        ...engines.endpoints,
        OPERATOR_ALERTS: 'all',
        UPSTREAM_PROVIDER: 'nft-data',
        UPSTREAM_URL: upstream.url,
        WEBHOOK_DESTINATIONS: 'loopback-only',
        CHAT_ORIGINS: JSON.stringify(chatOriginsAt(slack.url)),
        ...variables,
      },
    });
    const reported: Reported = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
    expect({ folder, atStart: slow(reported.atStart), inTheEnd: slow(reported.inTheEnd) }).toEqual({
      folder,
      atStart: [],
      inTheEnd: [],
    });
    return reported.answer;
  }

  /** Sends all waiting messages of a queue to its function. */
  async function drain(folder: string, queue: string): Promise<void> {
    const { sqs, queueOrigin } = engines;
    const found = stackOn(queueOrigin)
      .find('AWS::SQS::Queue', z.object({}))
      .find(({ id }) => new RegExp(`${queue}Queue\\w{8}$`).test(id));
    const QueueUrl = found?.ref ?? '';
    for (;;) {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: 10,
          MessageAttributeNames: ['All'],
          MessageSystemAttributeNames: ['All'],
        }),
      );
      if (Messages.length === 0) return;
      const answer = await invoke(folder, { Records: Messages.map(recordOf) });
      expect(answer).toEqual({ batchItemFailures: [] });
      for (const { ReceiptHandle } of Messages) {
        await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      }
    }
  }

  it('the bundles authorize an API key', async () => {
    const key = aKey(1);
    const { WATCH_TABLE = '' } = functions[0]?.variablesOn(engines.queueOrigin) ?? {};
    const keys = createApiKeyStore(createDynamoTable(engines.dynamodb, WATCH_TABLE, tableRuntime));
    await putKey(keys, aKeyRecord(key));

    const answer = await invoke('authorize-request', {
      ...anHttpRequest('GET /v1/watchlists', { headers: { 'x-api-key': key } }),
      methodArn: 'arn:aws:execute-api:us-east-1:000000000000:api/dev/GET/v1/watchlists',
    });

    expect(answer).toMatchObject({ principalId: 'acme' });
  });

  it('the bundles turn a price into a message', async () => {
    const made = await invoke('serve-api', anHttpRequest('POST /v1/watchlists', { body: LIST }));
    expect(made).toMatchObject({ statusCode: 201 });
    await drain('run-contracts', 'Contracts');
    await invoke('poll-prices', { time: new Date().toISOString() });
    await drain('run-contracts', 'Contracts');
    await drain('run-jobs', 'Lists');
    await drain('deliver-messages', 'Channels');

    expect(upstream.requests[0]?.headers).toMatchObject({
      'user-agent': USER_AGENT,
      'x-api-key': 'key-of-the-stack',
    });
    expect(published.map(({ messages }) => JSON.parse(messages.sqs ?? ''))).toEqual([
      expect.objectContaining({ kind: 'fired', watchlist: 'mine' }),
    ]);
    const [{ body } = { body: '' }, ...others] = slack.requests;
    expect(others).toEqual([]);
    expect(body).toContain('50');
    const [, chart = ''] = /"image_url":"[^"]*\/v1\/charts\/([^"]+)"/.exec(body) ?? [];
    const [, action = ''] = /\/v1\/actions\/([\w.-]+)\?do=/.exec(body) ?? [];
    const page = await invoke(
      'act-on-alert',
      anHttpRequest('GET /v1/actions/{action}', { path: { action } }),
    );
    expect(page).toMatchObject({ statusCode: 200, body: expect.stringContaining('<form') });
    const picture = await invoke(
      'draw-chart',
      anHttpRequest('GET /v1/charts/{chart}', { path: { chart } }),
    );
    expect(picture).toMatchObject({
      ...{ statusCode: 200, isBase64Encoded: true, headers: { 'Content-Type': 'image/png' } },
      // The signature of a PNG, in base64.
      body: expect.stringMatching(/^iVBORw0KGgo/),
    });
  });

  it('the bundles resolve a slug to the contract address from the provider, and store it', async () => {
    const source = createSimulatedMarket(1, Date.now());
    const [{ contract, name } = { contract: CONTRACT, name: '' }] = source.contracts();
    await using opensea = await startOpenSea({ source, now: Date.now });

    const made = await invoke(
      'serve-api',
      anHttpRequest('POST /v1/watchlists', {
        body: { id: 'named', name: 'Named', contracts: [slugFor(name)] },
      }),
      {
        ...{ UPSTREAM_PROVIDER: 'opensea', UPSTREAM_URL: opensea.url },
        UPSTREAM_KEY_PARAMETER: OPENSEA_KEY,
      },
    );

    const { body } = z.object({ statusCode: z.literal(201), body: z.string() }).parse(made);
    expect(JSON.parse(body)).toMatchObject({ contracts: [{ contract, name }] });
    expect(opensea.issues).toEqual([]);
  });

  it.each([
    [
      'manage-channels',
      anHttpRequest('GET /v1/watchlists/{watchlist}/channels', { path: { watchlist: 'mine' } }),
    ],
    ['manage-keys', anHttpRequest('GET /v1/keys', { scopes: 'admin' })],
    ['serve-api', anHttpRequest('GET /v1/operations', { scopes: 'operate' })],
    ['serve-api', anHttpRequest('GET /v1/contracts/{contract}', { path: { contract: CONTRACT } })],
    [
      'serve-nft-data',
      anHttpRequest('GET /api/v2.2/nft/{address}/floor-price/historical', {
        path: { address: ADDRESS },
        query: { chain: 'eth', interval: '1d' },
      }),
    ],
    ['serve-pages', anHttpRequest('GET /v1/openapi.json')],
    ['serve-pages', anHttpRequest('GET /app')],
  ])('the bundle answers a request: %s', async (folder, request) => {
    expect(await invoke(folder, request)).toMatchObject({ statusCode: 200 });
  });
});

const OPENSEA_KEY = '/floorwatch/dev/opensea-key';

const run = promisify(execFile);

/** Starts the bundle in the folder, sends it an event and reports the result. */
const START = `
  const { handler } = require('./index.js');
  const atStart = [...process.moduleLoadList];
  const context = { awsRequestId: 'request-1', getRemainingTimeInMillis: () => 25_000 };
  const tell = (answer) => {
    const reported = { answer, atStart, inTheEnd: process.moduleLoadList };
    process.stdout.write(JSON.stringify(reported), () => process.exit());
  };
  handler(JSON.parse(process.argv[1]), context).then(tell, ({ stack }) => tell({ stack }));`;

type Reported = {
  readonly answer: unknown;
  readonly atStart: readonly string[];
  readonly inTheEnd: readonly string[];
};

function slow(modules: readonly string[]): readonly string[] {
  return modules.filter((name) => /^NativeModule (.*undici|http2|child_process)$/.test(name));
}

/** The variables that Lambda sets in addition to those in the template. */
const LAMBDA = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_SESSION_TOKEN: 'local',
  AWS_LAMBDA_FUNCTION_NAME: 'function',
  _X_AMZN_TRACE_ID: 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=0',
};

const ADDRESS = '0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb';
const CONTRACT = `eth:${ADDRESS}`;
const FLOOR = { floor_price: '50', currency: 'eth', marketplace: { name: 'OpenSea' } };
const LIST = {
  id: 'mine',
  name: 'Mine',
  contracts: [CONTRACT],
  rules: [{ id: 'low', metric: 'floor_price', when: 'below', threshold: '60' }],
  channels: [
    { id: 'team', kind: 'slack', url: 'https://hooks.slack.com/services/T0/B0/0123456789abcdef' },
  ],
};

function recordOf({ MessageId, Body, Attributes, MessageAttributes = {} }: Message) {
  const messageAttributes = Object.fromEntries(
    Object.entries(MessageAttributes).map(([name, { DataType, StringValue }]) => [
      name,
      { dataType: DataType, stringValue: StringValue },
    ]),
  );
  return { messageId: MessageId, body: Body, attributes: Attributes, messageAttributes };
}
