import { describe, expect, it } from 'vitest';
import type { OperatorTopic } from '#infra/operate/account/operator-topics.ts';
import { findTroubles } from '#infra/operate/status/find-troubles.ts';
import type { ProviderStatus, StackStatus } from '#infra/operate/status/read-status.ts';
import { statusInJson, statusInWords } from '#infra/operate/status/report.ts';
import { HOUR, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { APES, NOON, PUNKS } from '#test/support/builders.ts';

const WELL: StackStatus = {
  at: NOON,
  tickedAt: NOON - 30 * SECOND,
  upstream: {
    providers: [{ provider: 'nft-data', denials: [], blockedUntil: undefined }],
    budgetUsed: { inDay: 12, inMonth: 40 },
    cadenceMinutes: 30,
    promisedCadenceMinutes: 15,
    keyEndsAt: NOON + 49 * HOUR,
  },
  data: {
    freshest: NOON - 5 * MINUTE,
    oldest: NOON - 50 * HOUR,
    watched: 10,
    silent: 1,
    oldestContract: PUNKS,
    silentContracts: [{ contract: PUNKS, why: 'floor: the provider does not know this contract' }],
    skipped: [
      { contract: PUNKS, part: 'lowest.7d', records: { no_price: 1, other_money: 2 } },
      { contract: APES, part: 'floor', records: { unreadable: 1 } },
    ],
  },
  channels: { count: 1, since: NOON - HOUR, operatorsSince: NOON - MINUTE },
  emails: undefined,
  operators: undefined,
  canary: { lastAt: NOON - 25 * HOUR },
  changes: 0,
  overdueSince: NOON - MINUTE,
  deadLetters: [],
  unreadable: [],
};
const aTopic = (name: string, changes: Partial<OperatorTopic> = {}): OperatorTopic => ({
  ...{ name, arn: `arn:aws:sns:us-east-1:123456789012:${name}` },
  ...{ confirmed: ['ops@example.com'], unconfirmed: [], ...changes },
});
const TOPICS = { pages: aTopic('alarms-of-floorwatch-prod'), tickets: aTopic('tickets') };
const [since, probeAt] = [NOON - HOUR, NOON + MINUTE];
const denied = { operation: undefined, reason: 'quota', since, probeAt };
const lacking = { operation: 'traits', reason: 'plan', since, probeAt } as const;
const denying = (...denials: ProviderStatus['denials']): Partial<StackStatus> => ({
  upstream: {
    ...WELL.upstream,
    providers: [
      ...WELL.upstream.providers,
      { provider: 'coingecko', denials, blockedUntil: undefined },
    ],
  },
});

describe('what is wrong with a stack', () => {
  it.each([
    [
      {},
      'emails        3 in 24 hours of all of the account; SES sends 200 a day, 1 a second, to verified addresses only (its sandbox); SNS the rest, as plain text',
    ],
    [
      { isSandbox: false, perDay: 50_000, perSecond: 14 },
      'emails        3 in 24 hours of all of the account; SES sends 50,000 a day, 14 a second; SNS the rest, as plain text',
    ],
    [
      { isEnabled: false },
      'emails        3 in 24 hours of all of the account; SES has stopped the account: SNS sends all, as plain text',
    ],
    [
      { isVerified: false },
      'emails        SES has not verified alerts@example.com: SNS sends all, as plain text',
    ],
  ])('is not how SES stands, %j, which is shown', (changes, line) => {
    const emails = {
      ...{ sender: 'alerts@example.com', isVerified: true, isSandbox: true, isEnabled: true },
      ...{ perDay: 200, perSecond: 1, sentInDay: 3, ...changes },
    };

    expect(findTroubles({ ...WELL, emails })).toEqual([]);
    expect(statusInWords({ ...WELL, emails }, []).split('\n')).toContain(line);
  });

  it('is nothing while it does its work, whatever one channel or one contract is about', () => {
    expect(findTroubles(WELL)).toEqual([]);
  });

  it.each<[name: string, section: string, broken: Partial<StackStatus>]>([
    ['it never ticked', 'No ticks', { tickedAt: undefined }],
    ['it ticks no more', 'No ticks', { tickedAt: NOON - 5 * MINUTE }],
    ['its polls are denied', 'Upstream denied', denying({ user: 'polling', ...denied })],
    ['its interface is denied', 'Upstream denied', denying({ user: 'interface', ...denied })],
    ['an operation is denied', 'Upstream denied', denying({ user: 'interface', ...lacking })],
    [
      'the day is nearly spent',
      'Upstream budget',
      { upstream: { ...WELL.upstream, budgetUsed: { inDay: 80, inMonth: 1 } } },
    ],
    [
      'the month is nearly spent',
      'Upstream budget',
      { upstream: { ...WELL.upstream, budgetUsed: { inDay: 1, inMonth: 80 } } },
    ],
    [
      'contracts are hardly polled',
      'Upstream budget',
      { upstream: { ...WELL.upstream, cadenceMinutes: 60 } },
    ],
    [
      'the key ends within two days',
      'Upstream key ends',
      { upstream: { ...WELL.upstream, keyEndsAt: NOON + 47 * HOUR } },
    ],
    ['all is old', 'Data age', { data: { ...WELL.data, freshest: NOON - 6 * HOUR } }],
    ['half is silent', 'Data age', { data: { ...WELL.data, silent: 5 } }],
    ['something is overdue', 'Overdue work', { overdueSince: NOON - 10 * MINUTE }],
    [
      'the operators are not reached',
      'Overdue work',
      { channels: { ...WELL.channels, operatorsSince: NOON - 10 * MINUTE } },
    ],
    ['the canary is silent', 'Canary', { canary: { lastAt: NOON - 26 * HOUR } }],
    ['the canary never came back', 'Canary', { canary: { lastAt: undefined } }],
    ['a message was given up', 'Dead letters', { deadLetters: [{ name: 'Lists', waiting: 1 }] }],
    [
      'many ticks were missed',
      'No ticks',
      { deadLetters: [{ name: 'floorwatch-dev-PollingMissedTicks1', waiting: 10 }] },
    ],
    ['an item is broken', 'Broken items', { unreadable: [PUNKS] }],
  ])('is reported where %s, with the section of the runbook', (_name, section, broken) => {
    const status = { ...WELL, ...broken };
    const troubles = findTroubles(status);

    expect(troubles.map((trouble) => trouble.section)).toEqual([section]);
    const [trouble] = troubles;
    expect(statusInWords(status, troubles)).toContain(
      `trouble: ${trouble?.text}. Do: ${trouble?.act} (infra/operate/RUNBOOK.md, "${section}")\n`,
    );
    expect(statusInJson(status, troubles)).toMatchObject({ healthy: false, troubles });
  });

  it('is an operator who has not confirmed, with the way to another email of SNS', () => {
    const pages = aTopic('alarms-of-floorwatch-prod', { unconfirmed: ['night@example.com'] });
    const status = { ...WELL, operators: { ...TOPICS, pages } };
    const troubles = findTroubles(status);
    const lines = statusInWords(status, troubles).split('\n');

    expect(troubles).toHaveLength(1);
    expect(lines).toContain(
      'trouble: night@example.com does not get what alarms-of-floorwatch-prod sends: the subscription is not confirmed. Do: night@example.com follows the link in the email of SNS. For another such email: aws sns subscribe --topic-arn arn:aws:sns:us-east-1:123456789012:alarms-of-floorwatch-prod --protocol email --notification-endpoint night@example.com',
    );
    expect(lines).toContain('operators     ops@example.com for pages, ops@example.com for tickets');
  });

  it('is not that a stage has no operators, which is shown', () => {
    const nobody = { confirmed: [] };
    const status = {
      ...WELL,
      operators: { ...TOPICS, pages: aTopic('pages', nobody) },
    };

    expect(findTroubles(status)).toEqual([]);
    expect(statusInWords(status, [])).toContain(
      'operators     nobody for pages, ops@example.com for tickets\n',
    );
  });

  it('names the operation that is denied, and to whom', () => {
    const status = { ...WELL, ...denying({ user: 'interface', ...lacking }) };
    const [trouble] = findTroubles(status);

    expect(trouble?.text).toBe(
      'the data provider coingecko denies the interface the traits search (plan)',
    );
    expect(statusInJson(status, [])).toMatchObject({
      upstream: {
        providers: [
          { provider: 'nft-data', denials: [] },
          {
            provider: 'coingecko',
            denials: [
              {
                ...{ user: 'interface', operation: 'traits', reason: 'plan' },
                since: '2026-11-21T11:00:00.000Z',
              },
            ],
          },
        ],
      },
    });
  });
});

describe('a report', () => {
  it('shows people in lines how the stack does', () => {
    expect(statusInWords(WELL, []).split('\n')).toEqual([
      'last tick     30 s ago',
      'provider      nft-data answers',
      'budget        12 % of the day, 40 % of the month',
      'polls         every 30 minutes',
      'contracts     10 watched, 1 without a usable answer',
      `              ${PUNKS}  floor: the provider does not know this contract`,
      `skipped       ${PUNKS}  lowest.7d: 2 records in another currency, 1 without a usable price`,
      `              ${APES}  floor: 1 record in an unknown form`,
      'newest floor  5 min ago',
      `oldest floor  2 d 2 h ago  ${PUNKS}`,
      'channels      1 with waiting alerts, the oldest 1 h ago',
      'canary        last came back 1 d 1 h ago',
      'changes       0 overdue',
      'dead letters  none',
      'All is well.',
      '',
    ]);
  });

  it('reports a stack that has not begun', () => {
    const { data } = WELL;
    const nothing = { ...data, freshest: undefined, oldest: undefined, oldestContract: undefined };
    const status = {
      ...WELL,
      tickedAt: undefined,
      data: { ...nothing, watched: 0, silent: 0, silentContracts: [] },
    };

    expect(statusInWords(status, [])).toContain('last tick     never\n');
    expect(statusInJson(status, [])).toMatchObject({
      lastTick: null,
      data: { freshest: null, oldestContract: null },
    });
  });

  it('reports why the provider gives nothing, and until when', () => {
    const status = {
      ...WELL,
      upstream: {
        ...WELL.upstream,
        providers: [
          ...WELL.upstream.providers,
          {
            provider: 'coingecko' as const,
            denials: [{ user: 'polling' as const, ...denied }],
            blockedUntil: NOON + MINUTE,
          },
        ],
      },
    };

    expect(statusInWords(status, [])).toContain(
      'provider      nft-data answers\n              coingecko denies the polls its service (quota) since 2026-11-21T11:00:00.000Z, tried again at 2026-11-21T12:01:00.000Z; asked us to wait until 2026-11-21T12:01:00.000Z\n',
    );
  });
});
