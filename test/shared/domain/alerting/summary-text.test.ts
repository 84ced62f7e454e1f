import { expect, it } from 'vitest';
import { alertSubject } from '#shared/domain/alerting/alert-text.ts';
import { type Story, summaryText } from '#shared/domain/alerting/summary-text.ts';
import { anAlert, NOON } from '#test/support/builders.ts';

const BELOW_60 = { condition: 'at or below 60 ETH', recover: 'above 60 ETH' };
const SINCE = '2026-11-20T08:00:00.000Z';

it('tells what was held back, and how it stands', () => {
  const counts = { fired: 2, worsened: 1, reminder: 3, recovered: 1 };

  expect(
    summaryText(anAlert({ kind: 'summary', id: '0123456789abcdef0123.1.7s' }), BELOW_60, {
      counts,
      since: SINCE,
      firingSince: NOON,
    }),
  ).toBe(
    `CryptoPunks: floor price still at or below 60 ETH, 7 alerts held back

Held back: fired 2 times, worsened once, reminded 3 times, recovered once
Since: 2026-11-20T08:00:00.000Z
Firing since: 2026-11-21T12:00:00.000Z
Last told: 59.9 ETH
In dollars: $181,000.12
Rule: at or below 60 ETH
As of: 2026-11-21T12:00:00.000Z
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
  ['still fires', { fired: 1 }, NOON, {}, 'still at or below 60 ETH, 1 alert held back'],
  [
    'has recovered',
    { fired: 1, recovered: 1 },
    undefined,
    {},
    'recovered above 60 ETH, 2 alerts held back',
  ],
  [
    'has recovered without a word',
    { fired: 1 },
    undefined,
    {},
    'recovered above 60 ETH, 1 alert held back',
  ],
  [
    'was crossed',
    { fired: 3 },
    undefined,
    { when: 'crosses' },
    'crossed 60 ETH, 3 alerts held back',
  ],
])('begins with how it stands when it %s', (_what, counts, firingSince, given, subject) => {
  const alert = anAlert({ kind: 'summary', ...given });

  const text = summaryText(alert, BELOW_60, { counts, since: SINCE, firingSince });

  expect(alertSubject({ ...alert, text })).toBe(`CryptoPunks: floor price ${subject}`);
});

it('tells that no trade is left, and nothing that is not known', () => {
  const alert = anAlert({ kind: 'summary', value: null, usd: null, source: null });

  const text = summaryText(alert, BELOW_60, {
    counts: { recovered: 1 },
    since: SINCE,
    firingSince: undefined,
  });

  expect(text).toContain('Last told: no trade left\nRule:');
  expect(text).not.toMatch(/In dollars|Source|Firing since/);
});
