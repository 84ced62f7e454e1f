import { describe, expect, it } from 'vitest';
import { alertSubject } from '#shared/domain/alerting/alert-text.ts';
import { type Story, summaryText } from '#shared/domain/alerting/summary-text.ts';
import { anAlert, NOON } from '#test/support/builders.ts';

const BELOW_60 = { condition: 'at or below 60 ETH', recover: 'above 60 ETH' };
const SINCE = '2026-11-20T08:00:00.000Z';

it('reports what was held back, and how it stands', () => {
  const counts = { fired: 2, worsened: 1, reminder: 3, recovered: 1 };

  expect(
    summaryText(anAlert({ kind: 'summary', id: '0123456789abcdef0123.1.7s' }), BELOW_60, {
      counts,
      since: SINCE,
      muted: true,
      firingSince: NOON,
      last: 'reminder',
    }),
  ).toBe(
    `CryptoPunks: floor price is still at or below 60 ETH, 7 alerts held back

Held back by a mute: fired 2 times, worsened once, reminded 3 times, recovered once
Since: 2026-11-20 08:00 UTC
Firing since: 2026-11-21 12:00 UTC
Newest value: 59.9 ETH
In dollars: $181,000.12
Rule: floor price at or below 60 ETH
As of: 2026-11-21 12:00 UTC
Source: opensea

Contract: eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb
See: https://opensea.io/assets/ethereum/0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb
See: https://etherscan.io/address/0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb
Watchlist: punks of acme, rule: floor-60, severity: warning
Alert: 0123456789abcdef0123.1.7s`,
  );
});

it.each<
  readonly [
    what: string,
    counts: Story['counts'],
    firingSince: number | undefined,
    given: Parameters<typeof anAlert>[0],
    subject: string,
  ]
>([
  [
    'still fires',
    { fired: 1 },
    NOON,
    {},
    'floor price is still at or below 60 ETH, 1 alert held back',
  ],
  [
    'has recovered',
    { fired: 1, recovered: 1 },
    undefined,
    {},
    'floor price has recovered above 60 ETH, 2 alerts held back',
  ],
  [
    'has recovered without a word',
    { fired: 1 },
    undefined,
    {},
    'floor price has recovered above 60 ETH, 1 alert held back',
  ],
  [
    'was crossed',
    { fired: 3 },
    undefined,
    { when: 'crosses' },
    'floor price has crossed 60 ETH, 3 alerts held back',
  ],
])('begins with how it stands when it %s', (_what, counts, firingSince, given, subject) => {
  const alert = anAlert({ kind: 'summary', ...given });

  const last = firingSince === undefined ? 'recovered' : 'fired';
  const story = { counts, since: SINCE, muted: true, firingSince, last } as const;
  const text = summaryText(alert, BELOW_60, story);

  expect(alertSubject({ ...alert, text })).toBe(`CryptoPunks: ${subject}`);
});

it('reports that no trade is left, and nothing that is not known', () => {
  const alert = anAlert({
    kind: 'summary',
    metric: 'lowest_price.7d',
    value: null,
    usd: null,
    source: null,
  });

  const text = summaryText(alert, BELOW_60, {
    counts: { recovered: 1 },
    since: SINCE,
    muted: false,
    firingSince: undefined,
    last: 'recovered',
  });

  expect(text).toContain('\nNewest value: no sale left\nRule:');
  expect(text).not.toMatch(/In dollars|Source|Firing since|mute/);
});

it.each([
  ['floor_runup_pct.6h', 'floor price run-up in 6h is still at or above 2 %, 9 alerts held back'],
  ['lowest_price.7d', 'lowest sale of 7 days is still at or above 2 %, 9 alerts held back'],
  ['data_age_minutes', 'age of the floor price is still at or above 2 %, 9 alerts held back'],
])('reads as a sentence of %s', (metric, subject) => {
  const alert = anAlert({ kind: 'summary', metric });
  const held = { counts: { fired: 9 }, since: SINCE, muted: true } as const;
  const story = { ...held, firingSince: NOON, last: 'fired' } as const;

  const text = summaryText(alert, { condition: 'at or above 2 %' }, story);

  expect(alertSubject({ ...alert, text })).toBe(`CryptoPunks: ${subject}`);
});

describe('of missing data', () => {
  it.each([
    ['data_age_minutes', NOON, 'still no new floor price', 'Age of the floor price: 6 h'],
    ['data_age_minutes', undefined, 'floor prices again', 'Age of the floor price: 6 h'],
    [
      'silence_minutes.7d',
      NOON,
      'still no word on lowest sales',
      'Silence about lowest sales: 6 h',
    ],
    [
      'silence_minutes.7d',
      undefined,
      'lowest sales are reported again',
      'Silence about lowest sales: 6 h',
    ],
  ])('speaks as its alerts do: %s %s', (metric, firingSince, subject, line) => {
    const minutes = { metric, unit: 'minutes', value: '360', usd: null, when: 'above' } as const;
    const alert = anAlert({ kind: 'summary', ...minutes });
    const rule = { condition: 'at or above 1 h', missing: 'no new floor price for 1 h' };
    const last = firingSince === undefined ? 'fresh' : 'stale';
    const held = { counts: { stale: 1, fresh: 1 }, since: SINCE, muted: true } as const;
    const story = { ...held, firingSince, last } as const;

    const text = summaryText(alert, rule, story);

    expect(text).toMatch(new RegExp(`^CryptoPunks: ${subject}, 2 alerts held back\n`));
    expect(text).toContain(`\n${line}\nAsked for: no new floor price for 1 h\nAs of: `);
    expect(text).not.toContain('at or above');
  });

  it.each([
    ['stale', 'no floor price yet'],
    ['fresh', 'floor price has its first value'],
  ] as const)('says of a watch that never had a value how it stands: %s', (last, subject) => {
    const alert = anAlert({ kind: 'summary', value: null });
    const held = { counts: { stale: 1 }, since: SINCE, muted: true, firingSince: undefined };

    const text = summaryText(alert, BELOW_60, { ...held, last });

    expect(alertSubject({ ...alert, text })).toBe(`CryptoPunks: ${subject}, 1 alert held back`);
  });
});
