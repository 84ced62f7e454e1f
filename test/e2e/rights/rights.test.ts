import { beforeAll, describe, expect, it } from 'vitest';
import { deniedOf, type Right, rightsByFunction, unusedOf } from '#test/support/iam-policy.ts';
import { installedEmulator } from './account.ts';
import { type Life, live } from './life.ts';

/** Rights that no call of the test needs, with the reason why they are granted. */
const RESERVED: readonly (readonly [RegExp, string])[] = [
  [/: logs:/, 'Lambda writes the logs of a function with the role of the function'],
  [
    /: sqs:(ChangeMessageVisibility|DeleteMessage|GetQueueAttributes|GetQueueUrl|ReceiveMessage) /,
    'Lambda polls a queue with the role of the function that consumes it',
  ],
  [/: ssm:GetParameter /, 'the previous release uses it while the stack is updated'],
  [/: sqs:\w+ .*MissedTicks/, 'Lambda moves failed ticks to this queue'],
  [
    /^run-contracts: sqs:SendMessage .*ContractsQueue/,
    'an evaluation that runs out of time continues with another message',
  ],
  [
    /^run-jobs: (dynamodb:PutItem .* \[CHANGES#\*\]|sqs:SendMessage .*ContractsQueue)/,
    'a wallet with new holdings changes its list; the wallet of this test has no new ones after a day',
  ],
  [
    /^run-jobs: dynamodb:GetItem .* \[CONTRACTS#\*\]$/,
    'an escalation contains the newest value; the list of this test never escalates',
  ],
  [
    /^deliver-messages: dynamodb:Query .* \[HISTORY#\*\]$/,
    'a summary contains the newest value of a rule with a window; no rule of this test has a window',
  ],
  [/^serve-api: dynamodb:GetItem .* \[CHANGES#\*\]$/, 'a reader requests one change by its id'],
  [
    /^deliver-messages: dynamodb:\w+ .* \[JOBS#\*\]$/,
    'a topic that somebody deleted is created again',
  ],
  [
    /^serve-api: dynamodb:Query .* \[CONTRACTS#\*\]$/,
    'the contracts of an unreadable list are found by its watches',
  ],
  [
    /^serve-api: dynamodb:PutItem .* \[(UPSTREAM|COLLECTION#\*)\]$/,
    'a collection is looked up by name if the provider can search',
  ],
  [
    /^wake-work: dynamodb:PutItem .* \[DISPATCH#\*\]$/,
    'cursors are stored if more work is due than one tick can start',
  ],
  [
    /^poll-prices: dynamodb:\w+ .* \[TRADES#\*\]$/,
    'only sales of OpenSea are stored; the provider of this test reports the lowest sale itself',
  ],
  [
    /^run-jobs: sns:SetSubscriptionAttributes /,
    'a subscription gets the redrive policy of another deployment of the stack',
  ],
  [
    /^manage-channels: sns:GetSubscriptionAttributes /,
    'a confirmed subscription is checked; the confirmation token arrives by email only',
  ],
];

/** Rights that only some runs use, depending on concurrency. */
const BY_CHANCE: readonly RegExp[] = [
  // The record of a contract is read again if an evaluation has changed it during the poll.
  /^poll-prices: dynamodb:GetItem .* \[CONTRACTS#\*\]$/,
];

const python = await installedEmulator();

describe.skipIf(python === undefined)('rights of the functions', () => {
  let life: Life;

  beforeAll(async () => {
    life = await live(python ?? '');
  });

  it('every function is invoked, and none fails', () => {
    expect(life.idle).toEqual([]);
    expect(life.failures).toEqual([]);
  });

  it('the role of each function allows every AWS call that the function makes', () => {
    expect(deniedOf(rightsByFunction(life.stack), life.calls)).toEqual([]);
  });

  it('every granted right is used, or is listed with a reason', () => {
    const unused = unusedOf(rightsByFunction(life.stack), life.calls);

    const excused = [...RESERVED.map(([which]) => which), ...BY_CHANCE];
    expect(unused.filter((right) => !excused.some((which) => which.test(right)))).toEqual([]);
  });

  it('the list of rights that may be unused contains no right that is used', () => {
    const unused = unusedOf(rightsByFunction(life.stack), life.calls);

    expect(RESERVED.filter(([which]) => !unused.some((right) => which.test(right)))).toEqual([]);
  });

  it('the checks find a missing right, a right on other items, and an unused right', () => {
    const changed = (change: (rights: readonly Right[]) => readonly Right[]) => {
      const rights = rightsByFunction(life.stack);
      return new Map(rights).set(
        'authorize-request',
        change(rights.get('authorize-request') ?? []),
      );
    };
    const missing = changed((rights) =>
      rights.filter(({ action }) => action !== 'dynamodb:GetItem'),
    );
    const elsewhere = changed((rights) =>
      rights.map((right) => ({ ...right, condition: keysLike('USAGE#*') })),
    );
    const unused = changed((rights) => [
      ...rights,
      { action: 'dynamodb:PutItem', resource: tableOf(rights), condition: keysLike('KEYS') },
    ]);

    for (const rights of [missing, elsewhere]) {
      expect(deniedOf(rights, life.calls)[0]).toMatchObject({
        ...{ caller: 'authorize-request', action: 'dynamodb:GetItem', leadingKeys: ['KEYS'] },
      });
    }
    expect(unusedOf(unused, life.calls)).toContainEqual(
      expect.stringMatching(/^authorize-request: dynamodb:PutItem .* \[KEYS\]$/),
    );
  });
});

const keysLike = (pattern: string) => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [pattern] },
});

const tableOf = (rights: readonly Right[]) =>
  rights.find(({ action }) => action === 'dynamodb:GetItem')?.resource ?? '';
