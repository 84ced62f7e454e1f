import { readFileSync } from 'node:fs';
import { Stack } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { createFloorwatchApp } from '#infra/stack/floorwatch-app.ts';
import { findStage } from '#infra/stack/stages.ts';
import { AWS_CLIENTS } from '#shared/clients/aws-clients.ts';
import {
  aStage,
  FULL_STAGE,
  resourcesOf,
  synthesize,
  type Template,
  textOf,
  withoutBundling,
} from '#test/infra/synthesized.ts';

const template = synthesize();

it('the logical ids of resources with data do not change, because an update would replace the resources', () => {
  const stateful = [
    'AWS::DynamoDB::Table',
    'AWS::Logs::LogGroup',
    'AWS::SNS::Topic',
    'AWS::SQS::Queue',
    // The API id is part of the public URL.
    'AWS::ApiGateway::RestApi',
  ];

  const ids = Object.entries(template.Resources)
    .filter(([, { Type }]) => stateful.includes(Type))
    .map(([id]) => id);

  expect(ids.toSorted()).toEqual([
    'AlertingBouncesRecordBouncesLogsEEF94E4B',
    'AlertingBouncesUndelivered03C43F65',
    'AlertingChannelsDeadLetters0C30953F',
    'AlertingChannelsQueue39126824',
    'AlertingDeliverMessagesLogsD93ABB17',
    'AlertingListsDeadLetters61B58FEF',
    'AlertingListsQueue7BD29574',
    'AlertingRunJobsLogs3DD91EE7',
    'AlertingStackTopic958B9C9D',
    'CanaryQueue4F92F5FC',
    'HttpAccessLogs1CB64BE3',
    'HttpActOnAlertLogs779240F0',
    'HttpApi4E1D4184',
    'HttpAuthorizeRequestLogs0DA66845',
    'HttpDrawChartLogsA5ED4D21',
    'HttpManageChannelsLogs078EA640',
    'HttpManageKeysLogs45083A98',
    'HttpServeApiLogs926060CD',
    'HttpServeNftDataLogsE49D65CC',
    'HttpServePagesLogs4D167363',
    'MonitoringAlarmTopicAF62D4F1',
    'MonitoringTicketTopicE66609F5',
    'PollingContractsDeadLettersBDE9DB4B',
    'PollingContractsQueue5A0F1CD9',
    'PollingMissedTicks44490809',
    'PollingPollPricesLogsD2D6A991',
    'PollingRunContractsLogsE0380FA9',
    'PollingWakeWorkLogs85544AFB',
    'WatchTableF7A0942E',
  ]);
});

it('the stack outputs the URLs, ARNs and names that operators need', () => {
  expect(Object.keys(template.Outputs)).toEqual([
    'ApiUrl',
    'TableName',
    'StackTopicArn',
    'AlarmTopicArn',
    'TicketTopicArn',
    'MissedTicksUrl',
    'CanaryQueueUrl',
    'UndeliveredUrl',
    'ContractsDeadLettersUrl',
    'ListsDeadLettersUrl',
    'ChannelsDeadLettersUrl',
  ]);
  for (const { Description } of Object.values(template.Outputs))
    expect(Description).toMatch(/\w+ /);
});

it('the timeout of each function exceeds the longest AWS call with all its retries', () => {
  const stack = synthesize(FULL_STAGE);
  const calls = Object.values(resourcesOf(stack, 'AWS::Lambda::Function')).flatMap(
    ({ Properties, Metadata }) => {
      const source = readFileSync(`functions/${Metadata['floorwatch:folder']}/handler.ts`, 'utf8');
      return Object.entries(AWS_CLIENTS)
        .filter(([name]) => MAKERS[name as keyof typeof AWS_CLIENTS].test(source))
        .map(([client, { maxAttempts, requestHandler }]) => ({
          function: Metadata['floorwatch:folder'],
          client,
          // The SDK waits at most 50 ms before the second attempt, and 100 ms before the third.
          longestMs: maxAttempts * requestHandler.requestTimeout + 150,
          timeoutMs: Properties.Timeout * 1000,
        }));
    },
  );

  expect(calls.filter(({ longestMs, timeoutMs }) => longestMs >= timeoutMs)).toEqual([]);
  expect(new Set(calls.map(({ client }) => client)).size).toBe(Object.keys(AWS_CLIENTS).length);
});

/** The factories with which handlers create each client. */
const MAKERS: Readonly<Record<keyof typeof AWS_CLIENTS, RegExp>> = {
  table: /\b(dynamoTable|bulkDynamoTable)\b/,
  queues: /\b(createFifoSenders|createQueueDepths)\b/,
  topics: /\bsnsTopics\b/,
  publications: /\bsnsPublications\b/,
};

it('the template contains the names of secrets, but no secret', () => {
  const text = JSON.stringify(synthesize(FULL_STAGE));

  expect(text).not.toMatch(/\{\{resolve:|SecretString|hooks\.slack\.com\/services/);
  expect(text).toContain('"UPSTREAM_KEY_PARAMETER":"/floorwatch/dev/upstream-key"');
  expect(text).toContain('"SLACK_WEBHOOK_PARAMETER":"/floorwatch/dev/slack-webhook"');
});

it.each([
  { name: 'dev', days: 7 },
  { name: 'prod', days: 90 },
])('the logs of $name are kept for $days days, and no longer', ({ name, days }) => {
  const logging = synthesize(findStage(name));
  const groups = Object.values(resourcesOf(logging, 'AWS::Logs::LogGroup'));
  const functions = Object.values(resourcesOf(logging, 'AWS::Lambda::Function'));

  expect(groups).toHaveLength(functions.length + 1);
  for (const { Properties } of groups) expect(Properties.RetentionInDays).toBe(days);
  for (const { Properties } of functions)
    expect(Properties.LoggingConfig).toHaveProperty('LogGroup');
});

it('every topic rejects unencrypted publishing', () => {
  const topics = Object.keys(resourcesOf(template, 'AWS::SNS::Topic'));
  const policies = Object.values(resourcesOf(template, 'AWS::SNS::TopicPolicy'));

  const guarded = policies
    .filter(({ Properties }) =>
      Properties.PolicyDocument.Statement.some(
        ({ Effect, Action, Condition }: Record<string, unknown>) =>
          Effect === 'Deny' &&
          Action === 'sns:Publish' &&
          JSON.stringify(Condition) === '{"Bool":{"aws:SecureTransport":"false"}}',
      ),
    )
    .flatMap(({ Properties }) =>
      Properties.Topics.map((topic: unknown) => textOf(template, topic)),
    );

  expect(guarded.toSorted()).toEqual(topics.toSorted());
});

it('every asynchronous invocation has a dead-letter queue', () => {
  const queues = Object.values(resourcesOf(template, 'AWS::SQS::Queue'));
  const schedules = Object.values(resourcesOf(template, 'AWS::Scheduler::Schedule'));
  const destinations = Object.values(resourcesOf(template, 'AWS::Lambda::EventInvokeConfig')).map(
    ({ Properties }) => [
      textOf(template, Properties.FunctionName),
      textOf(template, Properties.DestinationConfig.OnFailure.Destination),
    ],
  );
  const reported = Object.values(template.Outputs).map(({ Value }) => JSON.stringify(Value));

  for (const { Properties } of schedules) {
    const deadLetters = textOf(template, Properties.Target.DeadLetterConfig.Arn);
    expect(destinations).toContainEqual([textOf(template, Properties.Target.Arn), deadLetters]);
  }
  for (const [id, { Type, Properties }] of Object.entries(template.Resources)) {
    if (Type !== 'AWS::SQS::Queue' || Properties.RedrivePolicy) continue;
    // Nothing consumes this queue, so the stack outputs its URL.
    expect(reported).toContain(JSON.stringify({ Ref: id }));
  }
  // The queue of undelivered SNS messages is a dead-letter queue itself.
  expect(queues.filter(({ Properties }) => Properties.RedrivePolicy)).toHaveLength(
    Object.keys(resourcesOf(template, 'AWS::Lambda::EventSourceMapping')).length - 1,
  );
});

it('no function reserves concurrency by default, because a new account has none to spare', () => {
  for (const { Properties } of Object.values(resourcesOf(template, 'AWS::Lambda::Function'))) {
    expect(Properties).not.toHaveProperty('ReservedConcurrentExecutions');
  }
});

it('all resources are tagged with product and stage', () => {
  const app = createFloorwatchApp({ stage: aStage(), context: withoutBundling });

  expect(Stack.of(app.node.findChild('Floorwatch')).tags.tagValues()).toEqual({
    product: 'floorwatch',
    stage: 'dev',
  });
});

it('the stack reserves concurrency and has a firewall only if the stage enables them', () => {
  const reserved = (stack: Template) =>
    Object.entries(resourcesOf(stack, 'AWS::Lambda::Function')).flatMap(
      ([path, { Properties }]) => {
        const { ReservedConcurrentExecutions: count } = Properties;
        return count === undefined ? [] : [`${path.split('/').at(-2)} ${count}`];
      },
    );
  const stack = synthesize(FULL_STAGE);
  const [firewall] = Object.values(resourcesOf(stack, 'AWS::WAFv2::WebACL'));
  const [guarded] = Object.values(resourcesOf(stack, 'AWS::WAFv2::WebACLAssociation'));

  expect(reserved(template)).toEqual([]);
  expect(resourcesOf(template, 'AWS::WAFv2::WebACL')).toEqual({});
  expect(reserved(stack).toSorted()).toEqual([
    ...[
      'DeliverMessages 200',
      'DrawChart 20',
      'PollPrices 2',
      'RunContracts 50',
      'RunJobs 30',
      'WakeWork 2',
    ],
  ]);
  expect(firewall?.Properties).toMatchObject({
    ...{ Scope: 'REGIONAL', DefaultAction: { Allow: {} } },
    Rules: [
      {
        Action: { Block: {} },
        Statement: { RateBasedStatement: { AggregateKeyType: 'IP', Limit: 3000 } },
      },
    ],
  });
  expect(textOf(stack, guarded?.Properties.ResourceArn)).toMatch(/::\/restapis\/.*\/stages\//);
});

describe('tracing', () => {
  const traced = (tracing: boolean) => {
    const stack = synthesize(tracing ? FULL_STAGE : aStage());
    const modes = Object.values(resourcesOf(stack, 'AWS::Lambda::Function')).map(
      ({ Properties }) => Properties.TracingConfig?.Mode,
    );
    const [api] = Object.values(resourcesOf(stack, 'AWS::ApiGateway::Stage'));
    return {
      functions: [...new Set(modes)],
      api: api?.Properties.TracingEnabled,
      rights: JSON.stringify(resourcesOf(stack, 'AWS::IAM::Policy')).match(/xray:\w+/g) ?? [],
    };
  };

  it('tracing is off by default, and no function may use X-Ray', () => {
    expect(traced(false)).toEqual({ functions: [undefined], api: false, rights: [] });
  });

  it('tracing is on for all functions and the API if the stage enables it', () => {
    const { rights, ...on } = traced(true);

    expect(on).toEqual({ functions: ['Active'], api: true });
    expect([...new Set(rights)]).toEqual(['xray:PutTelemetryRecords', 'xray:PutTraceSegments']);
  });
});

it('all functions run on the same platform, and the template contains their folders for npm start', () => {
  const functions = Object.values(resourcesOf(template, 'AWS::Lambda::Function'));

  for (const { Properties } of functions) {
    expect(Properties).toMatchObject({
      Architectures: ['arm64'],
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
    });
    expect(Properties.Environment.Variables).not.toHaveProperty('NODE_OPTIONS');
  }
  expect(functions.map(({ Metadata }) => Metadata['floorwatch:folder'])).toEqual([
    'record-bounces',
    'run-jobs',
    'deliver-messages',
    'run-contracts',
    'wake-work',
    'poll-prices',
    'authorize-request',
    'serve-api',
    'manage-channels',
    'manage-keys',
    'serve-nft-data',
    'act-on-alert',
    'draw-chart',
    'serve-pages',
  ]);
});
