import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { evenCosts } from '#test/support/even-costs.ts';

const siteFolder = mkdtempSync(join(tmpdir(), 'floorwatch-site-'));
writeFileSync(join(siteFolder, 'index.json'), '{"files":{},"methods":{}}');

const good = {
  STAGE: 'test',
  WATCH_TABLE: 'watches',
  CONTRACTS_QUEUE_URL: 'https://sqs.example.com/1/contracts.fifo',
  LISTS_QUEUE_URL: 'https://sqs.example.com/1/lists.fifo',
  CHANNELS_QUEUE_URL: 'https://sqs.example.com/1/channels.fifo',
  CONTRACTS_DEAD_LETTERS_URL: 'https://sqs.example.com/1/contracts-dead.fifo',
  LISTS_DEAD_LETTERS_URL: 'https://sqs.example.com/1/lists-dead.fifo',
  CHANNELS_DEAD_LETTERS_URL: 'https://sqs.example.com/1/channels-dead.fifo',
  MISSED_TICKS_URL: 'https://sqs.example.com/1/missed-ticks',
  STACK_TOPIC_ARN: 'arn:aws:sns:eu-west-1:1:floorwatch-test',
  TOPIC_PREFIX: 'floorwatch-test-',
  UNDELIVERED_QUEUE_ARN: 'arn:aws:sqs:us-east-1:000000000000:undelivered',
  STACK_SLACK: 'off',
  OPERATOR_ALERTS: 'none',
  CHAT_ORIGINS: '{}',
  CHANNEL_KEY_PARAMETER: '/floorwatch/test/channel-key',
  CHANNEL_PUBLIC_KEY_PARAMETER: '/floorwatch/test/channel-public-key',
  PUSH_KEY_PARAMETER: '/floorwatch/test/push-key',
  PUSH_PUBLIC_KEY_PARAMETER: '/floorwatch/test/push-public-key',
  WEBHOOK_PORTS: '[443,8443]',
  WEBHOOK_DESTINATIONS: 'public',
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
  NFT_DATA_UNITS_PER_MINUTE: '600',
  API_UNITS_PER_MINUTE: '1200',
  NFT_DATA_SOURCES: '{"traits":"upstream","floor":"archive","lowest":"upstream-then-archive"}',
  SITE_FOLDER: siteFolder,
  LINK_KEY_PARAMETER: '/floorwatch/test/link-key',
  RENDERER_FOLDER: siteFolder,
  PUBLIC_URL: 'https://api.example.com/test/v1/',
  CORS_ORIGINS: '[]',
} as const;
type Variable = keyof typeof good;

/** The variables that Lambda sets itself. */
const lambda = {
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'AKID',
  AWS_SECRET_ACCESS_KEY: 'secret',
};

const limits = [
  'UPSTREAM_PROVIDER',
  'UPSTREAM_CALLS_PER_SECOND',
  'UPSTREAM_BUDGET_PER_HOUR',
  'UPSTREAM_BUDGET_PER_DAY',
  'UPSTREAM_BUDGET_PER_MONTH',
  'UPSTREAM_COSTS',
  'UPSTREAM_SHARES',
] as const;
const topics = ['STACK_TOPIC_ARN', 'TOPIC_PREFIX'] as const;
const queues = ['CONTRACTS_QUEUE_URL', 'LISTS_QUEUE_URL'] as const;
const opening = ['CHANNEL_KEY_PARAMETER', 'PUSH_KEY_PARAMETER', 'WEBHOOK_DESTINATIONS'] as const;
const signing = ['LINK_KEY_PARAMETER', 'PUBLIC_URL'] as const;
const sealing = [
  'CHANNEL_PUBLIC_KEY_PARAMETER',
  'PUSH_PUBLIC_KEY_PARAMETER',
  'WEBHOOK_DESTINATIONS',
  'WEBHOOK_PORTS',
] as const;
const nftData = ['NFT_DATA_SOURCES', 'NFT_DATA_UNITS_PER_MINUTE'] as const;
const api = ['CORS_ORIGINS', 'API_UNITS_PER_MINUTE'] as const;
const upstream = ['UPSTREAM_URL', 'UPSTREAM_KEY_PARAMETER'] as const;

type Start = {
  readonly name: string;
  readonly load: () => Promise<{ readonly handler: unknown }>;
  readonly needs: readonly Variable[];
};
const functions: readonly Start[] = [
  {
    name: 'act-on-alert',
    load: () => import('#functions/act-on-alert/handler.ts'),
    needs: ['WATCH_TABLE', 'LISTS_QUEUE_URL', 'LINK_KEY_PARAMETER'],
  },
  {
    name: 'authorize-request',
    load: () => import('#functions/authorize-request/handler.ts'),
    needs: ['WATCH_TABLE'],
  },
  {
    name: 'deliver-messages',
    load: () => import('#functions/deliver-messages/handler.ts'),
    needs: [
      ...(['STAGE', 'WATCH_TABLE', 'CHANNELS_QUEUE_URL', 'CHAT_ORIGINS'] as const),
      ...topics,
      ...opening,
      ...signing,
    ],
  },
  {
    name: 'draw-chart',
    load: () => import('#functions/draw-chart/handler.ts'),
    needs: ['CORS_ORIGINS', 'WATCH_TABLE', 'LINK_KEY_PARAMETER', 'RENDERER_FOLDER'],
  },
  {
    name: 'manage-channels',
    load: () => import('#functions/manage-channels/handler.ts'),
    needs: [...api, 'WATCH_TABLE', 'CHANNELS_QUEUE_URL', ...topics],
  },
  {
    name: 'manage-keys',
    load: () => import('#functions/manage-keys/handler.ts'),
    needs: [...api, 'WATCH_TABLE'],
  },
  {
    name: 'record-bounces',
    load: () => import('#functions/record-bounces/handler.ts'),
    needs: ['STAGE', 'WATCH_TABLE'],
  },
  {
    name: 'run-jobs',
    load: () => import('#functions/run-jobs/handler.ts'),
    needs: [
      'STAGE',
      'WATCH_TABLE',
      'CONTRACTS_QUEUE_URL',
      'CHANNELS_QUEUE_URL',
      ...topics,
      'UNDELIVERED_QUEUE_ARN',
      'STACK_SLACK',
      'OPERATOR_ALERTS',
      'POLL_CADENCE_MINUTES',
      ...limits,
      ...upstream,
    ],
  },
  {
    name: 'poll-prices',
    load: () => import('#functions/poll-prices/handler.ts'),
    needs: [
      ...(['STAGE', 'WATCH_TABLE', 'CONTRACTS_QUEUE_URL', 'POLL_CADENCE_MINUTES'] as const),
      ...[...limits, ...upstream],
      'OTHER_PROVIDERS',
    ],
  },
  {
    name: 'run-contracts',
    load: () => import('#functions/run-contracts/handler.ts'),
    needs: [
      'STAGE',
      'WATCH_TABLE',
      'CONTRACTS_QUEUE_URL',
      'CHANNELS_QUEUE_URL',
      'STACK_SLACK',
      'OPERATOR_ALERTS',
    ],
  },
  {
    name: 'serve-api',
    load: () => import('#functions/serve-api/handler.ts'),
    needs: [
      ...api,
      'NFT_DATA_UNITS_PER_MINUTE',
      'WATCH_TABLE',
      ...queues,
      'CHANNELS_QUEUE_URL',
      ...(['CONTRACTS_DEAD_LETTERS_URL', 'LISTS_DEAD_LETTERS_URL'] as const),
      ...(['CHANNELS_DEAD_LETTERS_URL', 'MISSED_TICKS_URL'] as const),
      ...sealing,
      'POLL_CADENCE_MINUTES',
      ...limits,
      ...upstream,
      'OTHER_PROVIDERS',
    ],
  },
  {
    name: 'serve-nft-data',
    load: () => import('#functions/serve-nft-data/handler.ts'),
    needs: ['CORS_ORIGINS', 'WATCH_TABLE', ...nftData, ...limits, ...upstream, 'OTHER_PROVIDERS'],
  },
  {
    name: 'serve-pages',
    load: () => import('#functions/serve-pages/handler.ts'),
    needs: ['CORS_ORIGINS', 'SITE_FOLDER'],
  },
  {
    name: 'wake-work',
    load: () => import('#functions/wake-work/handler.ts'),
    needs: ['STAGE', 'WATCH_TABLE', 'LISTS_QUEUE_URL', 'CHANNELS_QUEUE_URL'],
  },
];

beforeEach(() => {
  vi.resetModules();
  for (const name of Object.keys(good)) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries(lambda)) vi.stubEnv(name, value);
});
afterEach(() => vi.unstubAllEnvs());

/** The first import of the SDK is slow on a machine that has not cached it. */
const timeout = 120_000;

describe.each(functions)('the function $name', { timeout }, ({ load, needs }) => {
  it('a function refuses to start in an empty environment, and names all required environment variables', async () => {
    const failure = await load().catch((error: unknown) => error);

    const reported = failure instanceof Error ? failure.message : 'it started';
    const named = [...reported.matchAll(/(?:environment variables: |; )(\w+): /g)].map(
      ([, name]) => name,
    );
    expect(named.toSorted()).toEqual([...needs].toSorted());
  });

  it('a function starts if only its required environment variables are set', async () => {
    for (const name of needs) vi.stubEnv(name, good[name]);

    const { handler } = await load();

    expect(handler).toBeTypeOf('function');
  });
});
