import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { aStage, resourcesOf, synthesize, type Template, textOf } from './synthesized.ts';

const template = synthesize(aStage({ slackWebhookParameter: '/floorwatch/dev/slack-webhook' }));

const rightsToConsume = (queue: string) => [
  `sqs:ChangeMessageVisibility ${queue}`,
  `sqs:DeleteMessage ${queue}`,
  `sqs:GetQueueAttributes ${queue}`,
  `sqs:GetQueueUrl ${queue}`,
  `sqs:ReceiveMessage ${queue}`,
];
const rightsToLog = (owner: string) => [
  `logs:CreateLogStream ${owner}/Logs`,
  `logs:PutLogEvents ${owner}/Logs`,
];
const rightsOnItems = (partition: string, ...operations: readonly string[]) =>
  operations.map((operation) => `dynamodb:${operation} WatchTable [${partition}]`);
const named = (service: string, name: string) =>
  `arn:\${AWS::Partition}:${service}:\${AWS::Region}:\${AWS::AccountId}:${name}`;
const runTimeTopics = named('sns', 'floorwatch-dev-*');
const parameter = (name: string) => named('ssm', `parameter${name}`);

describe.each([
  {
    owner: 'Polling/DispatchWork',
    rights: [
      ...rightsOnItems('CONTRACTS#*', 'GetItem', 'Query'),
      ...rightsOnItems('DISPATCH#*', 'GetItem', 'PutItem'),
      ...rightsOnItems('UPSTREAM', 'GetItem', 'PutItem'),
      'dynamodb:Query WatchTable/index/due',
      'sqs:SendMessage Polling/Contracts/Queue',
      'sqs:SendMessage Alerting/Lists/Queue',
      'sqs:SendMessage Alerting/Channels/Queue',
      // What Lambda itself needs to put a failed tick away.
      'sqs:SendMessage Polling/MissedTicks',
      'sqs:GetQueueAttributes Polling/MissedTicks',
      'sqs:GetQueueUrl Polling/MissedTicks',
    ],
  },
  {
    owner: 'Polling/RunContracts',
    rights: [
      ...rightsOnItems('CONTRACTS#*', 'GetItem', 'PutItem'),
      ...rightsOnItems('WATCHES#*', 'GetItem', 'PutItem', 'DeleteItem', 'Query'),
      ...rightsOnItems('HISTORY#*', 'PutItem', 'Query'),
      ...rightsOnItems('TENANT#*', 'GetItem', 'DeleteItem'),
      ...rightsOnItems('UPSTREAM', 'GetItem', 'PutItem'),
      'dynamodb:Query WatchTable/index/falling [WATCHES#*]',
      'dynamodb:Query WatchTable/index/rising [WATCHES#*]',
      'sqs:SendMessage Polling/Contracts/Queue',
      'sqs:SendMessage Alerting/Lists/Queue',
      `ssm:GetParameter ${parameter('/floorwatch/dev/upstream-key')}`,
      ...rightsToConsume('Polling/Contracts/Queue'),
    ],
  },
  {
    owner: 'Alerting/NotifyWatchers',
    rights: [
      ...rightsOnItems('WATCHES#*', 'GetItem', 'PutItem', 'Query'),
      ...rightsOnItems('TENANT#*', 'GetItem', 'PutItem', 'DeleteItem', 'Query'),
      ...rightsOnItems('LIST#*', 'GetItem', 'PutItem'),
      ...rightsOnItems('INBOX#*', 'PutItem'),
      ...rightsOnItems('STACK', 'GetItem', 'PutItem'),
      'sqs:SendMessage Alerting/Channels/Queue',
      `sns:CreateTopic ${runTimeTopics}`,
      `sns:DeleteTopic ${runTimeTopics}`,
      `sns:GetSubscriptionAttributes ${runTimeTopics}`,
      `sns:ListSubscriptionsByTopic ${runTimeTopics}`,
      `sns:SetSubscriptionAttributes ${runTimeTopics}`,
      `sns:Subscribe ${runTimeTopics}`,
      `sns:Unsubscribe ${runTimeTopics}`,
      ...rightsToConsume('Alerting/Lists/Queue'),
    ],
  },
  {
    owner: 'Alerting/DeliverMessages',
    rights: [
      ...rightsOnItems('INBOX#*', 'PutItem', 'DeleteItem', 'Query'),
      ...rightsOnItems('LIST#*', 'GetItem', 'PutItem'),
      ...rightsOnItems('TENANT#*', 'GetItem', 'PutItem', 'DeleteItem'),
      ...rightsOnItems('STACK', 'GetItem', 'PutItem'),
      'sqs:SendMessage Alerting/Channels/Queue',
      'sns:Publish Alerting/StackTopic',
      `sns:Publish ${runTimeTopics}`,
      `ssm:GetParameter ${parameter('/floorwatch/dev/channel-key')}`,
      `ssm:GetParameter ${parameter('/floorwatch/dev/slack-webhook')}`,
      ...rightsToConsume('Alerting/Channels/Queue'),
    ],
  },
  { owner: 'Http/AuthorizeRequest', rights: rightsOnItems('KEY#*', 'GetItem') },
  {
    owner: 'Http/ManageWatchlists',
    rights: [
      ...rightsOnItems('TENANT#*', 'GetItem', 'PutItem', 'DeleteItem', 'Query'),
      ...rightsOnItems('WATCHES#*', 'GetItem', 'Query'),
      ...rightsOnItems('CONTRACTS#*', 'GetItem'),
      ...rightsOnItems('HISTORY#*', 'Query'),
      ...rightsOnItems('LIST#*', 'GetItem', 'Query'),
      ...rightsOnItems('UPSTREAM', 'GetItem'),
      `ssm:GetParameter ${parameter('/floorwatch/dev/channel-key')}`,
      'sqs:SendMessage Polling/Contracts/Queue',
      'sqs:SendMessage Alerting/Lists/Queue',
    ],
  },
  {
    owner: 'Http/ManageChannels',
    rights: [
      ...rightsOnItems('TENANT#*', 'GetItem', 'PutItem', 'Query'),
      ...rightsOnItems('LIST#*', 'GetItem', 'PutItem'),
      ...rightsOnItems('INBOX#*', 'PutItem', 'Query'),
      'sqs:SendMessage Alerting/Channels/Queue',
      `sns:ConfirmSubscription ${runTimeTopics}`,
      `sns:GetSubscriptionAttributes ${runTimeTopics}`,
    ],
  },
  {
    owner: 'Http/ServeNftData',
    rights: [
      ...rightsOnItems('UPSTREAM', 'GetItem', 'PutItem'),
      ...rightsOnItems('TOKENS#*', 'GetItem'),
      ...rightsOnItems('TRAIT#*', 'GetItem', 'Query'),
      ...rightsOnItems('TRADES#*', 'GetItem', 'Query'),
      ...rightsOnItems('HISTORY#*', 'Query'),
      `ssm:GetParameter ${parameter('/floorwatch/dev/upstream-key')}`,
    ],
  },
])('$owner', ({ owner, rights }) => {
  it('may do what it does and nothing more', () => {
    const policy = resourcesOf(template, 'AWS::IAM::Policy')[`${owner}/Role/DefaultPolicy`];

    expect(allowed(template, policy?.Properties).toSorted()).toEqual(
      [...rightsToLog(owner), ...rights].toSorted(),
    );
  });
});

it('uses no policy that somebody else wrote, but the one by which the gateway may log', () => {
  const roles = Object.entries(resourcesOf(template, 'AWS::IAM::Role'));

  const foreign = roles.filter(([, { Properties }]) => Properties.ManagedPolicyArns);
  const inline = roles.filter(([, { Properties }]) => Properties.Policies);

  expect(foreign.map(([path]) => path)).toEqual(['Http/Api/CloudWatchRole']);
  expect(inline).toEqual([]);
});

it('allows no wildcard but these, each for its reason', () => {
  const policies = Object.values(resourcesOf(template, 'AWS::IAM::Policy'));
  const rights = policies.flatMap(({ Properties }) => allowed(template, Properties));

  const wildcards = rights.filter((right) => /\*( |$)/.test(right));
  expect([...new Set(wildcards.map((right) => right.replace(/^\S+ /, '')))]).toEqual([
    // Topics of watchlists are made at run time; their names begin with the stack's.
    runTimeTopics,
    // The schedule's target as CDK writes it: the versions of the one function, of which there are none.
    'Polling/DispatchWork/Lambda:*',
  ]);
});

it('lets nothing that runs at run time begin like the topic of the stack', () => {
  const topic = resourcesOf(template, 'AWS::SNS::Topic')['Alerting/StackTopic'];

  expect(topic?.Properties.TopicName).not.toMatch(/^floorwatch-/);
});

/** The statements of a policy as lines: action, resource and, in brackets, its partition keys. */
function allowed(within: Template, policy: unknown): string[] {
  return Policy.parse(policy).PolicyDocument.Statement.flatMap((statement) => {
    expect(statement.Effect).toBe('Allow');
    const keys = statement.Condition?.['ForAllValues:StringLike']['dynamodb:LeadingKeys'];
    const condition = keys ? ` [${keys.join()}]` : '';
    return statement.Action.flatMap((action) =>
      statement.Resource.map((resource) => `${action} ${textOf(within, resource)}${condition}`),
    );
  });
}

const oneOrMore = <Item extends z.ZodType>(item: Item) =>
  z.union([z.array(item), item.transform((only) => [only])]);

const Policy = z.object({
  PolicyDocument: z.object({
    Statement: z.array(
      z.strictObject({
        Effect: z.string(),
        Action: oneOrMore(z.string()),
        Resource: oneOrMore(z.unknown()),
        Condition: z
          .strictObject({
            'ForAllValues:StringLike': z.strictObject({
              'dynamodb:LeadingKeys': z.array(z.string()),
            }),
          })
          .optional(),
      }),
    ),
  }),
});
