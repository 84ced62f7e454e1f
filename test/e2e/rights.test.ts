import { beforeAll, expect, it } from 'vitest';
import { deniedOf, type Right, rightsByFunction, unusedOf } from '#test/support/iam-policy.ts';
import { type Life, live } from '#test/support/lived-stack.ts';

/** What is granted and no such life needs, and why it is granted all the same. */
const RESERVED: readonly (readonly [RegExp, string])[] = [
  [/: logs:/, 'Lambda writes down what a function prints'],
  [
    /: sqs:(ChangeMessageVisibility|DeleteMessage|GetQueueAttributes|GetQueueUrl|ReceiveMessage) /,
    'Lambda itself takes messages from a queue, by the rights of the function that it hands them to',
  ],
  [/: ssm:GetParameter /, 'the release before reads by it while the stack is updated'],
  [/: sqs:\w+ .*MissedTicks/, 'Lambda itself puts away a tick that failed'],
  [
    /^run-contracts: sqs:SendMessage .*ContractsQueue/,
    'an evaluation that does not end in its time goes on with a message',
  ],
  [
    /^(notify-watchers|manage-channels): dynamodb:GetItem .* \[LIST#\*\]$/,
    'an alert is there that was to be written: the answer to a first attempt got lost',
  ],
  [
    /^notify-watchers: (dynamodb:(GetItem|PutItem) .* \[CHANGES#\*\]|sqs:SendMessage .*ContractsQueue)/,
    'a wallet that holds others changes its list; of this one nothing is heard after a day',
  ],
  [
    /^manage-watchlists: dynamodb:Query .* \[CONTRACTS#\*\]$/,
    'the contracts of a list that cannot be read are found by its watches',
  ],
  [
    /^manage-watchlists: dynamodb:PutItem .* \[(UPSTREAM|COLLECTION#\*)\]$/,
    'a contract is looked up, where the provider can search',
  ],
  [
    /^run-contracts: dynamodb:\w+ .* \[TRADES#\*\]$/,
    'sales are kept of OpenSea alone; the provider of this life tells the lowest',
  ],
  [
    /^notify-watchers: sns:SetSubscriptionAttributes /,
    'a subscription gets the redrive policy of another deployment of the stack',
  ],
  [
    /^manage-channels: sns:GetSubscriptionAttributes /,
    'how a subscription stands that was confirmed: the token for that comes by mail',
  ],
];

let life: Life;

beforeAll(async () => {
  life = await live();
});

it('everything went well', () => {
  expect(life.failures).toEqual([]);
});

it('every call is allowed by the role of the function that makes it', () => {
  expect(deniedOf(rightsByFunction(life.stack), life.calls)).toEqual([]);
});

it('every right is used, or says why it is there', () => {
  const unused = unusedOf(rightsByFunction(life.stack), life.calls);

  expect(unused.filter((right) => !RESERVED.some(([which]) => which.test(right)))).toEqual([]);
});

it('a right that is missing is found, and so is one that is not needed', () => {
  const without = changed('authorize-request', (rights) =>
    rights.filter(({ action }) => action !== 'dynamodb:GetItem'),
  );
  const elsewhere = changed('authorize-request', (rights) =>
    rights.map((right) => ({ ...right, condition: keysLike('USAGE#*') })),
  );
  const beside = changed('authorize-request', (rights) => [
    ...rights,
    { action: 'dynamodb:PutItem', resource: tableOf(rights), condition: keysLike('KEYS') },
  ]);

  for (const rights of [without, elsewhere]) {
    expect(deniedOf(rights, life.calls)[0]).toMatchObject({
      ...{ caller: 'authorize-request', action: 'dynamodb:GetItem', leadingKeys: ['KEYS'] },
    });
  }
  expect(unusedOf(beside, life.calls)).toContainEqual(
    expect.stringMatching(/^authorize-request: dynamodb:PutItem .* \[KEYS\]$/),
  );
});

function changed(caller: string, change: (rights: readonly Right[]) => readonly Right[]) {
  const rights = rightsByFunction(life.stack);
  return new Map(rights).set(caller, change(rights.get(caller) ?? []));
}

const keysLike = (pattern: string) => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [pattern] },
});

const tableOf = (rights: readonly Right[]) =>
  rights.find(({ action }) => action === 'dynamodb:GetItem')?.resource ?? '';
