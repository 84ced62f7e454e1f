import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { aKey } from '#test/support/api-keys.ts';
import { anHttpRequest } from '#test/support/builders.ts';
import { evenCosts } from '#test/support/even-costs.ts';
import { type HttpServer, startHttpServer } from '#test/support/http-server.ts';

const variables = {
  STAGE: 'test',
  WATCH_TABLE: 'watches',
  CONTRACTS_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/1/contracts.fifo',
  LISTS_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/1/lists.fifo',
  CHANNELS_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/1/channels.fifo',
  CONTRACTS_DEAD_LETTERS_URL: 'https://sqs.us-east-1.amazonaws.com/1/contracts-dead.fifo',
  LISTS_DEAD_LETTERS_URL: 'https://sqs.us-east-1.amazonaws.com/1/lists-dead.fifo',
  CHANNELS_DEAD_LETTERS_URL: 'https://sqs.us-east-1.amazonaws.com/1/channels-dead.fifo',
  MISSED_TICKS_URL: 'https://sqs.us-east-1.amazonaws.com/1/missed-ticks',
  STACK_TOPIC_ARN: 'arn:aws:sns:us-east-1:000000000000:floorwatch-test',
  TOPIC_PREFIX: 'floorwatch-test-',
  UNDELIVERED_QUEUE_ARN: 'arn:aws:sqs:us-east-1:000000000000:undelivered',
  STACK_SLACK: 'off',
  OPERATOR_ALERTS: 'none',
  CHAT_ORIGINS: '{}',
  CHANNEL_KEY_PARAMETER: '/floorwatch/test/channel-key',
  CHANNEL_PUBLIC_KEY_PARAMETER: '/floorwatch/test/channel-public-key',
  PUSH_KEY_PARAMETER: '/floorwatch/test/push-key',
  PUSH_PUBLIC_KEY_PARAMETER: '/floorwatch/test/push-public-key',
  LINK_KEY_PARAMETER: '/floorwatch/test/link-key',
  RENDERER_FOLDER: 'unread',
  PUBLIC_URL: 'https://api.example.com/test/v1/',
  WEBHOOK_DESTINATIONS: 'public',
  WEBHOOK_PORTS: '[443]',
  POLL_CADENCE_MINUTES: '30',
  UPSTREAM_CALLS_PER_SECOND: '5',
  UPSTREAM_BUDGET_PER_HOUR: 'none',
  UPSTREAM_BUDGET_PER_DAY: '1000',
  UPSTREAM_BUDGET_PER_MONTH: '20000',
  UPSTREAM_COSTS: JSON.stringify(evenCosts(1)),
  UPSTREAM_SHARES: '{"polling":60,"interface":20}',
  UPSTREAM_PROVIDER: 'nft-data',
  UPSTREAM_URL: 'https://upstream.example.com',
  UPSTREAM_KEY_PARAMETER: '/floorwatch/test/key',
  OTHER_PROVIDERS: '[]',
  API_UNITS_PER_MINUTE: '1200',
  NFT_DATA_UNITS_PER_MINUTE: '600',
  CORS_ORIGINS: '[]',
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'AKID',
  AWS_SECRET_ACCESS_KEY: 'secret',
};

/** A server that accepts every connection and never answers. All clients call it instead of AWS. */
let aws: HttpServer;

beforeAll(async () => {
  aws = await startHttpServer(() => undefined);
  vi.stubEnv('AWS_ENDPOINT_URL', aws.url);
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});

afterAll(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await aws[Symbol.asyncDispose]();
});

const TIMED_OUT = { status: 'rejected', reason: { name: 'TimeoutError' } };
const contract = `eth:0x${'ab'.repeat(20)}`;
const list = { tenant: 'acme', list: 'punks' };
const methodArn = 'arn:aws:execute-api:us-east-1:1:api/test/GET/v1/watchlists/punks';
const bounce = {
  detail: {
    eventType: 'Complaint',
    mail: {
      destination: ['desk@example.com'],
      tags: { channel: [Buffer.from('acme#punks#desk').toString('base64url')] },
    },
  },
};

/** A function, an event that makes it call AWS, and how the invocation ends. */
const CASES = [
  {
    name: 'authorize-request',
    load: () => import('#functions/authorize-request/handler.ts'),
    event: { type: 'REQUEST', methodArn, headers: { 'x-api-key': aKey(1) } },
    ends: TIMED_OUT,
  },
  {
    name: 'record-bounces',
    load: () => import('#functions/record-bounces/handler.ts'),
    event: bounce,
    ends: TIMED_OUT,
  },
  {
    name: 'poll-prices',
    load: () => import('#functions/poll-prices/handler.ts'),
    event: {},
    ends: TIMED_OUT,
  },
  {
    name: 'wake-work',
    load: () => import('#functions/wake-work/handler.ts'),
    event: {},
    ends: TIMED_OUT,
  },
  {
    name: 'manage-keys',
    load: () => import('#functions/manage-keys/handler.ts'),
    event: anHttpRequest('GET /v1/keys', { scopes: 'admin read' }),
    ends: { status: 'fulfilled', value: { statusCode: 500 } },
  },
  {
    // This function reads a parameter before it reads the table.
    name: 'draw-chart',
    load: () => import('#functions/draw-chart/handler.ts'),
    event: anHttpRequest('GET /v1/charts/{chart}', { path: { chart: 'a.b.png' } }),
    ends: { status: 'fulfilled', value: { statusCode: 500 } },
  },
  {
    name: 'serve-api',
    load: () => import('#functions/serve-api/handler.ts'),
    event: anHttpRequest('GET /v1/operations', { scopes: 'admin read' }),
    ends: { status: 'fulfilled', value: { statusCode: 500 } },
  },
  {
    name: 'run-contracts',
    load: () => import('#functions/run-contracts/handler.ts'),
    event: batchOf({ kind: 'evaluate', contract, cadenceMinutes: 30 }),
    ends: { status: 'fulfilled', value: { batchItemFailures: [{ itemIdentifier: 'one' }] } },
  },
  {
    name: 'run-jobs',
    load: () => import('#functions/run-jobs/handler.ts'),
    event: batchOf({ kind: 'topic', ...list }),
    ends: { status: 'fulfilled', value: { batchItemFailures: [{ itemIdentifier: 'one' }] } },
  },
  {
    name: 'deliver-messages',
    load: () => import('#functions/deliver-messages/handler.ts'),
    event: batchOf({ destinationId: 'acme#punks#desk' }),
    ends: { status: 'fulfilled', value: { batchItemFailures: [{ itemIdentifier: 'one' }] } },
  },
];

describe.concurrent('a function whose AWS calls are accepted and never answered', () => {
  // The invocation has 15 minutes, so that Middy does not end it before the timeouts of its
  // clients.
  it.each(CASES)(
    '$name ends when its AWS clients time out',
    { timeout: 60_000 },
    async ({ load, event, ends }) => {
      const { handler } = await load();
      const context = { awsRequestId: 'request-1', getRemainingTimeInMillis: () => 900_000 };

      const [end] = await Promise.allSettled([Reflect.apply(handler, undefined, [event, context])]);

      expect(end).toMatchObject(ends);
    },
  );
});

it('each function has called AWS', () => {
  expect(aws.requests.length).toBeGreaterThanOrEqual(3 * CASES.length);
});

/** A batch of a FIFO queue with one message. */
function batchOf(message: object) {
  return {
    Records: [
      {
        messageId: 'one',
        body: JSON.stringify(message),
        attributes: { MessageGroupId: 'group', ApproximateReceiveCount: '1' },
        messageAttributes: {},
      },
    ],
  };
}
