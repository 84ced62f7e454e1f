import type { SQSEvent } from 'aws-lambda';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type * as z from 'zod';
import { DeliverMessagesEnvironment } from '#functions/deliver-messages/environment.ts';
import { PollPricesEnvironment } from '#functions/poll-prices/environment.ts';
import { ServeApiEnvironment } from '#functions/serve-api/environment.ts';
import { ServeNftDataEnvironment } from '#functions/serve-nft-data/environment.ts';
import { ChannelMessage } from '#shared/domain/messages/channel-message.ts';
import { ContractMessage } from '#shared/domain/messages/contract-message.ts';
import { JobId } from '#shared/domain/watchlists/job.ts';
import { handleFifoRecords } from '#shared/runtime/fifo-records.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { PUNKS } from '#test/support/builders.ts';
import { evenCosts } from '#test/support/even-costs.ts';
import { runsOf } from '#test/support/extent.ts';
import { anyFormOf, garbage, numbersIn } from '#test/support/garbage.ts';

const RUNS = runsOf(300);

const anEvaluation = {
  kind: 'evaluate',
  contract: PUNKS,
  cadenceMinutes: 30,
  from: {
    upTo: 7,
    place: 'falling floor_price.eth 60',
    after: { sk: 'acme#punks#a', position: 'floor_price.eth#1' },
  },
};
const aRuleOfList = { kind: 'watch', tenant: 'acme', list: 'punks', rule: 'a', contract: PUNKS };

it.each<[name: string, schema: z.ZodType, message: object]>([
  ['evaluate', ContractMessage, anEvaluation],
  ['watch', JobId, aRuleOfList],
  ['destinationId', ChannelMessage, { destinationId: 'acme#punks#mail' }],
])(
  'a fuzzed message "%s" is handled, or fails together with the next message of its group',
  async (_, schema, message) => {
    await fc.assert(
      fc.asyncProperty(anyFormOf(message), async (body) => {
        const handled: unknown[] = [];
        const errors: string[] = [];
        const log = { info: () => {}, error: (event: string) => void errors.push(event) };
        const metrics = createMetrics('test', Date.now);
        const event = anEventOf([body, JSON.stringify(message)]);

        const { batchItemFailures } = await handleFifoRecords(
          event,
          schema,
          { log, metrics },
          async (one) => {
            handled.push(one);
          },
        );

        expect(handled).toHaveLength(batchItemFailures.length === 0 ? 2 : 0);
        expect(batchItemFailures).toHaveLength(handled.length === 0 ? 2 : 0);
        expect(errors).toEqual(handled.length === 0 ? ['message_failed'] : []);
        expect(numbersIn(handled).every(Number.isFinite)).toBe(true);
      }),
      RUNS,
    );
  },
);

const upstream = {
  UPSTREAM_PROVIDER: 'nft-data',
  UPSTREAM_URL: 'https://upstream.example.com',
  UPSTREAM_KEY_PARAMETER: '/floorwatch/key',
  UPSTREAM_CALLS_PER_SECOND: '5',
  UPSTREAM_BUDGET_PER_HOUR: 'none',
  UPSTREAM_BUDGET_PER_DAY: '100000',
  UPSTREAM_BUDGET_PER_MONTH: '2000000',
  UPSTREAM_COSTS: JSON.stringify(evenCosts(1)),
  UPSTREAM_SHARES: '{"polling":60,"interface":20}',
  OTHER_PROVIDERS: '[]',
};
const variables: Readonly<Record<string, string>> = {
  ...upstream,
  STAGE: 'test',
  WATCH_TABLE: 'table',
  CONTRACTS_QUEUE_URL: 'https://sqs.example.com/1',
  LISTS_QUEUE_URL: 'https://sqs.example.com/2',
  CHANNELS_QUEUE_URL: 'https://sqs.example.com/3',
  CONTRACTS_DEAD_LETTERS_URL: 'https://sqs.example.com/4',
  LISTS_DEAD_LETTERS_URL: 'https://sqs.example.com/5',
  CHANNELS_DEAD_LETTERS_URL: 'https://sqs.example.com/6',
  MISSED_TICKS_URL: 'https://sqs.example.com/7',
  STACK_TOPIC_ARN: 'arn:aws:sns:us-east-1:000000000000:topic',
  TOPIC_PREFIX: 'floorwatch-',
  CHAT_ORIGINS: '{"slack":"https://hooks.slack.com"}',
  POLL_CADENCE_MINUTES: '30',
  CHANNEL_KEY_PARAMETER: '/floorwatch/channels',
  CHANNEL_PUBLIC_KEY_PARAMETER: '/floorwatch/public',
  PUSH_KEY_PARAMETER: '/floorwatch/push',
  PUSH_PUBLIC_KEY_PARAMETER: '/floorwatch/push-public',
  WEBHOOK_PORTS: '[443]',
  WEBHOOK_DESTINATIONS: 'public',
  NFT_DATA_SOURCES: '{"traits":"upstream","floor":"archive","lowest":"upstream"}',
  CORS_ORIGINS: '[]',
  LINK_KEY_PARAMETER: '/floorwatch/links',
  PUBLIC_URL: 'https://api.example.com/test/v1/',
  NFT_DATA_UNITS_PER_MINUTE: '600',
  API_UNITS_PER_MINUTE: '1200',
};

const anySetting = fc.oneof(garbage, anyFormOf(evenCosts(1)));

it.each<[name: string, schema: z.ZodType]>([
  ['deliver-messages', DeliverMessagesEnvironment],
  ['poll-prices', PollPricesEnvironment],
  ['serve-api', ServeApiEnvironment],
  ['serve-nft-data', ServeNftDataEnvironment],
])(
  'the environment of %s with a fuzzed variable is read, or the variable is named',
  (_, schema) => {
    const changed = fc.tuple(fc.constantFrom(...Object.keys(variables)), anySetting);

    expect(schema.safeParse(variables).error).toBeUndefined();
    fc.assert(
      fc.property(changed, ([name, value]) => {
        const { data, error } = schema.safeParse({ ...variables, [name]: value });

        expect(numbersIn(data).every((number) => Number.isSafeInteger(number))).toBe(true);
        for (const { path } of error?.issues ?? []) expect(path[0]).toBe(name);
      }),
      RUNS,
    );
  },
);

function anEventOf(bodies: readonly string[]): SQSEvent {
  return {
    Records: bodies.map((body, index) => ({
      messageId: `${index}`,
      receiptHandle: '',
      body,
      attributes: {
        ApproximateReceiveCount: '1',
        SentTimestamp: '0',
        SenderId: '',
        ApproximateFirstReceiveTimestamp: '0',
        MessageGroupId: 'group',
      },
      messageAttributes: {},
      md5OfBody: '',
      eventSource: 'aws:sqs',
      eventSourceARN: '',
      awsRegion: 'us-east-1',
    })),
  };
}
