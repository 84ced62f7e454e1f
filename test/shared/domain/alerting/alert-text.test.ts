import { expect, it } from 'vitest';
import { alertSubject, alertText } from '#shared/domain/alerting/alert-text.ts';
import { anAlert } from '#test/support/builders.ts';

const BELOW_60 = { condition: 'below 60 ETH' };

it('tells what fired, against what, as of when and from whom', () => {
  expect(alertText(anAlert(), { ...BELOW_60, label: 'Cheap punks' })).toBe(
    `CryptoPunks: floor price 59.9 ETH, at or below 60 ETH

Floor price: 59.9 ETH ($181,000.12), was 61.25 ETH
Rule: Cheap punks: below 60 ETH
As of: 2026-11-21T12:00:00.000Z
Source: opensea

Contract: eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb
Watchlist: punks, rule: floor-60, severity: warning
Alert: 0123456789abcdef0123.1.1`,
  );
});

it('tells how long an episode lasted and that no trade is left', () => {
  const alert = anAlert({
    kind: 'recovered',
    name: null,
    metric: 'lowest_price.1d',
    value: null,
    usd: null,
    previous: '59.9',
    source: null,
    duration: '36h',
    extreme: '41.5',
    late: true,
  });

  expect(alertText(alert, BELOW_60)).toBe(
    `eth:0xb47e3c…3bbb: lowest sale of 1 day recovered to no trade left

Lowest sale of 1 day: no trade left, was 59.9 ETH
Rule: below 60 ETH
Lasted: 36h
Furthest: 41.5 ETH
As of: 2026-11-21T12:00:00.000Z (late: seen only after a downtime)

Contract: eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb
Watchlist: punks, rule: floor-60, severity: warning
Alert: 0123456789abcdef0123.1.1`,
  );
});

it('tells that a rule has come to its end', () => {
  const alert = anAlert({ kind: 'expired', contract: null, name: null, value: null });

  expect(alertText(alert, BELOW_60)).toBe(
    `Rule floor-60 of punks has expired

The rule "floor price below 60 ETH" expired at 2026-11-21T12:00:00.000Z.
It watches nothing any more; give it a later "expiresAt" to go on.

Watchlist: punks, rule: floor-60, severity: warning
Alert: 0123456789abcdef0123.1.1`,
  );
});

it.each([
  [{ when: 'above', value: '61' }, 'above 60 ETH', 'floor price 61 ETH, at or above 60 ETH'],
  [
    { metric: 'floor_price_usd', unit: 'usd' },
    'below 60 USD',
    'floor price in USD 59.9 USD, at or below 60 USD',
  ],
  [{ metric: 'lowest_price.30d' }, 'x', 'lowest sale of 30 days 59.9 ETH, at or below 60 ETH'],
  [{ when: 'outside' }, 'outside 60 to 90 ETH', 'floor price 59.9 ETH, outside 60 to 90 ETH'],
  [{ when: 'crosses' }, 'crosses 60 ETH', 'floor price 59.9 ETH, fell below 60 ETH'],
  [{ when: 'crosses', value: '61' }, 'crosses 60 ETH', 'floor price 61 ETH, rose above 60 ETH'],
  [{ kind: 'worsened' }, 'below 60 ETH', 'floor price 59.9 ETH, further below 60 ETH'],
  [{ kind: 'reminder' }, 'below 60 ETH', 'floor price still below 60 ETH, now 59.9 ETH'],
] as const)('says %j in one line', (given, condition, line) => {
  const alert = anAlert(given);

  const subject = alertSubject({ ...alert, text: alertText(alert, { condition }) });

  expect(subject).toBe(`CryptoPunks: ${line}`);
});

it.each([
  { usd: '1234567.899', told: '($1,234,567.89)' },
  { usd: '999', told: '($999.00)' },
  { usd: '0.5', told: '($0.50)' },
])('tells $usd dollars as $told', ({ usd, told }) => {
  expect(alertText(anAlert({ usd }), BELOW_60)).toContain(told);
});

it('tells dollars once where the rule is about dollars', () => {
  const text = alertText(anAlert({ unit: 'usd', value: '181000.12' }), {
    condition: 'below 60 USD',
  });

  expect(text).not.toContain('$');
});
