import { describe, expect, it } from 'vitest';
import type { OperatorTopic } from '#infra/operate/account/operator-topics.ts';
import { findTroubles, type State } from '#infra/operate/status/find-troubles.ts';
import type { AccountState, TableState } from '#infra/operate/status/read-rest.ts';
import { inWords } from '#infra/operate/status/report.ts';
import { formatInstant, HOUR, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { APES, NOON, PUNKS } from '#test/support/builders.ts';

type Provider = State['operations']['providers'][number];

const at = (instant: number) => formatInstant(instant);

const PROVIDER: Provider = {
  ...{ provider: 'nft-data', blockedUntil: null, keyEndsAt: at(NOON + 49 * HOUR), denials: [] },
  budgets: [
    { span: 'day', limit: 100, used: 12 },
    { span: 'month', limit: 1000, used: 400 },
  ],
};
const OPERATIONS: State['operations'] = {
  at: at(NOON),
  tick: { at: at(NOON - 30 * SECOND), missed: 9 },
  providers: [PROVIDER],
  cadence: { configuredMinutes: 15, longestMinutes: 30, isFarStretched: false },
  queues: [{ queue: 'lists', deadLetters: 0 }],
  overdueSince: at(NOON - MINUTE),
};
const TABLE: TableState = {
  data: {
    freshest: at(NOON - 5 * MINUTE),
    oldest: at(NOON - 50 * HOUR),
    watched: 10,
    silent: 1,
    oldestContract: PUNKS,
    silentContracts: [{ contract: PUNKS, why: 'floor: the provider does not have this contract' }],
    skipped: [
      { contract: PUNKS, series: 'lowest.7d', records: { no_price: 1, other_money: 2 } },
      { contract: APES, series: 'floor', records: { unreadable: 1 } },
    ],
  },
  channels: { count: 1, since: at(NOON - HOUR), operatorsSince: at(NOON - MINUTE) },
  pendingChanges: 0,
  unreadable: [],
};
const ACCOUNT: AccountState = {
  ...{ emails: null, operators: null, canary: { lastAt: at(NOON - 25 * HOUR) } },
};

type Changes = {
  readonly operations?: Partial<State['operations']>;
  readonly provider?: Partial<Provider>;
  readonly data?: Partial<TableState['data']>;
  readonly table?: Partial<TableState>;
  readonly account?: Partial<AccountState>;
};

/** A state without problems, except for the given changes. */
const aState = ({ operations, provider, data, table, account }: Changes = {}): State => ({
  operations: { ...OPERATIONS, providers: [{ ...PROVIDER, ...provider }], ...operations },
  table: { ...TABLE, data: { ...TABLE.data, ...data }, ...table },
  account: { ...ACCOUNT, ...account },
});
const wordsOf = (state: State) => {
  const troubles = findTroubles(state);
  const source = { kind: 'interface', whyNoTable: null } as const;
  return inWords({ healthy: troubles.length === 0, troubles, source, ...state });
};
const aTopic = (name: string, changes: Partial<OperatorTopic> = {}): OperatorTopic => ({
  ...{ name, arn: `arn:aws:sns:us-east-1:123456789012:${name}` },
  ...{ confirmed: ['ops@example.com'], unconfirmed: [], ...changes },
});
const TOPICS = { pages: aTopic('alarms-of-floorwatch-prod'), tickets: aTopic('tickets') };
const [since, triedAgainAt] = [at(NOON - HOUR), at(NOON + MINUTE)];
const denied = { what: 'its service', reason: 'quota', since, triedAgainAt };
const lacking = { what: 'the traits search', reason: 'plan', since, triedAgainAt };
const denying = (...denials: Provider['denials']): Changes => ({
  operations: { providers: [PROVIDER, { ...PROVIDER, provider: 'coingecko', denials }] },
});

describe('the problems of a stack', () => {
  it.each([
    [
      {},
      'emails        the account sent 3 in the last 24 hours; SES sends up to 200 a day, up to 1 a second, only to verified addresses (sandbox); SNS sends the rest as plain text',
    ],
    [
      { isSandbox: false, perDay: 50_000, perSecond: 14 },
      'emails        the account sent 3 in the last 24 hours; SES sends up to 50,000 a day, up to 14 a second; SNS sends the rest as plain text',
    ],
    [
      { isEnabled: false },
      'emails        the account sent 3 in the last 24 hours; SES sending is suspended for the account, so SNS sends all emails as plain text',
    ],
    [
      { isVerified: false },
      'emails        SES has not verified alerts@example.com, so SNS sends all emails as plain text',
    ],
  ])('the status shows the limits of SES, which are not a problem: %j', (changes, line) => {
    const emails = {
      ...{ sender: 'alerts@example.com', isVerified: true, isSandbox: true, isEnabled: true },
      ...{ perDay: 200, perSecond: 1, sentInDay: 3, ...changes },
    };

    const state = aState({ account: { emails } });

    expect(findTroubles(state)).toEqual([]);
    expect(wordsOf(state).split('\n')).toContain(line);
  });

  it('a working stack has no problems, even if a single channel or contract fails', () => {
    expect(findTroubles(aState())).toEqual([]);
  });

  it.each<[name: string, section: string, broken: Changes]>([
    ['no tick ever ran', 'No ticks', { operations: { tick: { at: null, missed: 0 } } }],
    [
      'the ticks stopped',
      'No ticks',
      { operations: { tick: { at: at(NOON - 5 * MINUTE), missed: 0 } } },
    ],
    ['the provider denies polls', 'Upstream denied', denying({ user: 'polling', ...denied })],
    [
      'the provider denies the interface',
      'Upstream denied',
      denying({ user: 'interface', ...denied }),
    ],
    [
      'the provider denies an operation',
      'Upstream denied',
      denying({ user: 'interface', ...lacking }),
    ],
    [
      'the daily budget is nearly spent',
      'Upstream budget',
      { provider: { budgets: [{ span: 'day', limit: 100, used: 80 }] } },
    ],
    [
      'the monthly budget is nearly spent',
      'Upstream budget',
      { provider: { budgets: [{ span: 'month', limit: 1000, used: 800 }] } },
    ],
    [
      'the cadence is far longer than configured',
      'Upstream budget',
      { operations: { cadence: { ...OPERATIONS.cadence, isFarStretched: true } } },
    ],
    [
      'the key ends within two days',
      'Upstream key expires',
      { provider: { keyEndsAt: at(NOON + 47 * HOUR) } },
    ],
    ['all floors are old', 'Data age', { data: { freshest: at(NOON - 6 * HOUR) } }],
    ['half of the contracts have no usable response', 'Data age', { data: { silent: 5 } }],
    ['work is overdue', 'Overdue work', { operations: { overdueSince: at(NOON - 10 * MINUTE) } }],
    [
      'an alert to the operators is undelivered',
      'Overdue work',
      { table: { channels: { ...TABLE.channels, operatorsSince: at(NOON - 10 * MINUTE) } } },
    ],
    ['the canary stopped', 'Canary', { account: { canary: { lastAt: at(NOON - 26 * HOUR) } } }],
    ['the canary never returned', 'Canary', { account: { canary: { lastAt: null } } }],
    [
      'there are dead letters',
      'Dead letters',
      { operations: { queues: [{ queue: 'lists', deadLetters: 1 }] } },
    ],
    [
      'many ticks were missed',
      'No ticks',
      { operations: { tick: { at: OPERATIONS.tick.at, missed: 10 } } },
    ],
    ['an item is broken', 'Broken items', { table: { unreadable: [PUNKS] } }],
  ])('the status names the section of the runbook if %s', (_name, section, broken) => {
    const state = aState(broken);
    const troubles = findTroubles(state);

    expect(troubles.map((trouble) => trouble.section)).toEqual([section]);
    const [trouble] = troubles;
    expect(wordsOf(state)).toContain(
      `problem: ${trouble?.text}. To fix it: ${trouble?.act} (infra/operate/RUNBOOK.md, "${section}")\n`,
    );
  });

  it('problems are found even if only the API was read', () => {
    const state = { ...aState({ provider: { denials: [{ user: 'polling', ...denied }] } }) };

    const troubles = findTroubles({ ...state, table: null, account: null });

    expect(troubles).toMatchObject([{ section: 'Upstream denied' }]);
  });

  it('an unconfirmed operator is a problem, reported with the command that sends the SNS email again', () => {
    const pages = aTopic('alarms-of-floorwatch-prod', { unconfirmed: ['night@example.com'] });
    const state = aState({ account: { operators: { ...TOPICS, pages } } });
    const lines = wordsOf(state).split('\n');

    expect(findTroubles(state)).toHaveLength(1);
    expect(lines).toContain(
      'problem: night@example.com gets no messages from alarms-of-floorwatch-prod: the subscription is not confirmed. To fix it: ask night@example.com to follow the link in the email from SNS. To send this email again: aws sns subscribe --topic-arn arn:aws:sns:us-east-1:123456789012:alarms-of-floorwatch-prod --protocol email --notification-endpoint night@example.com',
    );
    expect(lines).toContain('operators     ops@example.com for pages, ops@example.com for tickets');
  });

  it('the status shows that a stage has no operators for pages, which is not a problem', () => {
    const pages = aTopic('pages', { confirmed: [] });
    const state = aState({ account: { operators: { ...TOPICS, pages } } });

    expect(findTroubles(state)).toEqual([]);
    expect(wordsOf(state)).toContain(
      'operators     nobody for pages, ops@example.com for tickets\n',
    );
  });

  it('the problem of a denied operation names the operation, and whether polls or the API need it', () => {
    const [trouble] = findTroubles(aState(denying({ user: 'interface', ...lacking })));

    expect(trouble?.text).toBe(
      'the data provider coingecko denies API requests access to the traits search (plan)',
    );
  });
});

describe('a report', () => {
  it('a report shows the state of the stack as lines of text', () => {
    expect(wordsOf(aState()).split('\n')).toEqual([
      'read from     the API and the table',
      'last tick     30 s ago',
      'provider      nft-data responds',
      "budget used   12% of today's, 40% of this month's",
      'polls         every 30 minutes',
      'contracts     10 watched, 1 without a usable response',
      `              ${PUNKS}  floor: the provider does not have this contract`,
      `skipped       ${PUNKS}  lowest.7d: 2 records in another currency, 1 without a usable price`,
      `              ${APES}  floor: 1 record in an unknown format`,
      'newest floor  5 min ago',
      `oldest floor  2 d 2 h ago  ${PUNKS}`,
      'channels      1 with waiting alerts, the oldest 1 h ago',
      'changes       0 overdue',
      'canary        last message 1 d 1 h ago',
      'dead letters  none',
      'No problems found.',
      '',
    ]);
  });

  it.each([
    [
      { kind: 'table', whyNoInterface: 'no key' },
      'the table and the queues, because the API is not available: no key',
    ],
    [
      { kind: 'interface', whyNoTable: 'log in' },
      'the API only, because the table cannot be read: log in',
    ],
  ] as const)(
    'a report names the sources that could not be read, with the reason: %j',
    (source, text) => {
      const state = { ...aState(), healthy: true, troubles: [], source };

      expect(inWords(state)).toContain(`read from     ${text}\n`);
    },
  );

  it('a report shows that a stack never had a tick', () => {
    const state = aState({ operations: { tick: { at: null, missed: 0 } } });

    expect(wordsOf(state)).toContain('last tick     never\n');
  });

  it('a report shows why a provider is not called, and when it is called next', () => {
    const other = { ...PROVIDER, provider: 'coingecko', blockedUntil: at(NOON + MINUTE) } as const;
    const denials = [{ user: 'polling', ...denied }] as const;
    const state = aState({
      operations: { providers: [PROVIDER, { ...other, denials: [...denials] }] },
    });

    expect(wordsOf(state)).toContain(
      'provider      nft-data responds\n              coingecko denies polls access to its service (quota), first denied at 2026-11-21T11:00:00.000Z, next attempt at 2026-11-21T12:01:00.000Z; gets no calls until 2026-11-21T12:01:00.000Z\n',
    );
  });
});
