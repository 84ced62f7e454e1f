import { describe, expect, it } from 'vitest';
import { alertSubject, alertText, urgency } from '#shared/domain/alerting/alert-text.ts';
import { subjectLine } from '#shared/domain/alerting/subject-line.ts';
import type { Metric } from '#shared/domain/metrics/metric.ts';
import { amountInWords, valueInWords } from '#shared/domain/metrics/value-text.ts';
import { conditionOf, conditionText, recoveryText } from '#shared/domain/rules/clause.ts';
import { anAlert, eth } from '#test/support/builders.ts';

const METRIC: Metric = 'floor_price';
const BELOW_60 = { condition: 'at or below 60 ETH', recover: 'above 60 ETH' };

it('reports what fired first, and then what that does not say', () => {
  expect(
    alertText(anAlert(), {
      ...BELOW_60,
      label: 'Cheap punks',
      details: ['In dollars: $181,000.12'],
    }),
  ).toBe(
    `CryptoPunks: floor price 59.9 ETH, at or below 60 ETH

Was: 61.25 ETH, −2.2 %
In dollars: $181,000.12
Rule: Cheap punks
As of: 2026-11-21 12:00 UTC
Source: opensea

Contract: eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb
See: https://opensea.io/assets/ethereum/0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb
See: https://etherscan.io/address/0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb
Watchlist: punks of acme, rule: floor-60, severity: warning
Alert: 0123456789abcdef0123.1.1`,
  );
});

it('reports how long an episode lasted and that no trade is left', () => {
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
    `eth:0xb47e3c…3bbb: lowest sale of 1 day: no sale left, recovered

Was: 59.9 ETH
Rule: lowest sale of 1 day at or below 60 ETH
Lasted: 1 d 12 h
Furthest: 41.5 ETH
As of: 2026-11-21 12:00 UTC (late: seen only after a downtime)

Contract: eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb
See: https://opensea.io/assets/ethereum/0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb
See: https://etherscan.io/address/0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb
Watchlist: punks of acme, rule: floor-60, severity: warning
Alert: 0123456789abcdef0123.1.1`,
  );
});

it.each([
  { label: 'Cheap punks', rule: 'Cheap punks' },
  { label: undefined, rule: 'floor price at or below 60 ETH' },
])('reports that the rule "$rule" has come to its end', ({ label, rule }) => {
  const alert = anAlert({ kind: 'expired', contract: null, name: null, value: null });

  expect(alertText(alert, { ...BELOW_60, label })).toBe(
    `Rule "floor-60" of watchlist "punks" has expired

Rule: ${rule}
Expired: 2026-11-21 12:00 UTC
It watches nothing any more; give it a later "expiresAt" to go on.

Watchlist: punks of acme, rule: floor-60, severity: warning
Alert: 0123456789abcdef0123.1.1`,
  );
});

const USD = { metric: 'floor_price_usd', unit: 'usd', value: '199999.999', threshold: '200000' };
const line = { threshold: '60' };
const band = { low: '50', high: '120' };

it.each([
  [{}, { when: 'below', ...line }, 'floor price 59.9 ETH, at or below 60 ETH'],
  [{ value: '61' }, { when: 'above', ...line }, 'floor price 61 ETH, at or above 60 ETH'],
  [USD, { when: 'below', threshold: '200000' }, 'floor price $199,999.99, at or below $200,000.00'],
  [
    { metric: 'lowest_price.30d' },
    { when: 'below', ...line },
    'lowest sale of 30 days 59.9 ETH, at or below 60 ETH',
  ],
  [{ value: '49' }, { when: 'outside', ...band }, 'floor price 49 ETH, outside 50 to 120 ETH'],
  [{}, { when: 'inside', ...band }, 'floor price 59.9 ETH, inside 50 to 120 ETH'],
  [{}, { when: 'crosses', ...line }, 'floor price 59.9 ETH, fell below 60 ETH'],
  [{ value: '61' }, { when: 'crosses', ...line }, 'floor price 61 ETH, rose above 60 ETH'],
  [{ kind: 'worsened' }, { when: 'below', ...line }, 'floor price 59.9 ETH, further below 60 ETH'],
  [
    { kind: 'reminder' },
    { when: 'below', ...line },
    'floor price 59.9 ETH, still at or below 60 ETH',
  ],
  [
    { kind: 'recovered', value: '61' },
    { when: 'below', ...line },
    'floor price 61 ETH, recovered above 60 ETH',
  ],
  [
    { kind: 'recovered', value: '71' },
    { when: 'below', ...line, recover: '70' },
    'floor price 71 ETH, recovered at or above 70 ETH',
  ],
  [
    { kind: 'recovered' },
    { when: 'above', ...line },
    'floor price 59.9 ETH, recovered below 60 ETH',
  ],
  [
    { kind: 'recovered' },
    { when: 'outside', ...band },
    'floor price 59.9 ETH, recovered inside 50 to 120 ETH',
  ],
  [
    { kind: 'recovered', value: '49' },
    { when: 'inside', ...band },
    'floor price 49 ETH, recovered outside 50 to 120 ETH',
  ],
  [
    { ...USD, kind: 'recovered', value: '95000' },
    { when: 'outside', low: '90000', high: '100000.5' },
    'floor price $95,000.00, recovered inside $90,000.00 to $100,000.50',
  ],
] as const)('says %j of %j in one line', (given, rule, said) => {
  const alert = anAlert({ ...given, when: rule.when });
  const words = {
    condition: conditionText(conditionOf({ ...rule, metric: METRIC }), METRIC, alert.unit),
    recover: recoveryText(conditionOf({ ...rule, metric: METRIC }), METRIC, alert.unit),
  };

  const subject = alertSubject({ ...alert, text: alertText(alert, words) });

  expect(subject).toBe(`CryptoPunks: ${said}`);
});

it('says of a line to be crossed that it is crossed, and of no recovery', () => {
  const crosses = { when: 'crosses', threshold: eth('60') } as const;

  expect([conditionText(crosses, METRIC, 'eth'), recoveryText(crosses, METRIC, 'eth')]).toEqual([
    'crosses 60 ETH',
    undefined,
  ]);
});

describe('the subject', () => {
  it.each(['fired', 'recovered', 'expired'] as const)('marks what is critical: %s', (kind) => {
    const text = alertText(anAlert({ kind, severity: 'critical' }), BELOW_60);

    expect(text).toMatch(/^\[critical\] (CryptoPunks: |Rule ")/);
  });

  it.each(['warning', 'info'] as const)('marks nothing else: %s', (severity) => {
    expect(alertText(anAlert({ severity }), BELOW_60)).toMatch(/^CryptoPunks: /);
  });
});

it.each([
  { value: '1234567.899', unit: 'usd', expected: '$1,234,567.89' },
  { value: '130338.51', unit: 'usd', expected: '$130,338.51' },
  { value: '999', unit: 'usd', expected: '$999.00' },
  { value: '0.5', unit: 'usd', expected: '$0.50' },
  { value: '0.00123', unit: 'usd', expected: '$0.00123' },
  { value: '59.9', unit: 'eth', expected: '59.9 ETH' },
  { value: '-30', unit: '%', expected: '−30 %' },
  { value: '360', unit: 'minutes', expected: '6 h' },
  { value: '1501.016666666666666666', unit: 'minutes', expected: '1 d 1 h' },
])('reports $value $unit as $reported', ({ value, unit, expected }) => {
  expect(amountInWords(value, unit)).toBe(expected);
});

it.each([
  ['0.651', '+0.65 %'],
  ['-22.314049586776859504', '−22.31 %'],
  ['-0.651', '−0.65 %'],
  ['0.001', '0 %'],
  ['-0.001', '0 %'],
  ['0', '0 %'],
  ['12', '+12 %'],
])('reports the sign of a change of %s as %s, which a drawdown has not', (value, expected) => {
  expect(valueInWords('floor_change_pct.6h', value, '%')).toBe(expected);
  expect(valueInWords('floor_drawdown_pct.6h', '0.65', '%')).toBe('0.65 %');
});

it('has one kind of minus', () => {
  const change = { metric: 'floor_change_pct.6h', unit: '%', value: '-12', previous: '-2' };
  const text = alertText(anAlert(change), { condition: 'at or below −10 %' });

  expect(text).toMatch(/change in 6h −12 %, at or below −10 %\n\nWas: −2 %\n/);
  expect(subjectLine({ kind: 'alert', alert: { ...anAlert(change), text } })).toBe(
    'CryptoPunks: floor price change in 6h -12 %, at or below -10 %',
  );
});

it('reports what stands behind the number', () => {
  const text = alertText(anAlert(), {
    ...BELOW_60,
    details: ['Floor price: 59.9 ETH', 'And so on'],
  });

  expect(text).toContain('\nFloor price: 59.9 ETH\nAnd so on\nRule: ');
});

it.each([
  { value: '59.9', previous: '61.25', expected: '61.25 ETH, −2.2 %' },
  { value: '61.25', previous: '59.9', expected: '59.9 ETH, +2.2 %' },
  { value: '180', previous: '60', expected: '60 ETH, +200.0 %' },
  { value: '59.99', previous: '60', expected: '60 ETH, 0.0 %' },
  { value: '60', previous: '60', expected: '60 ETH, 0.0 %' },
  {
    value: '0.000000000000000001',
    previous: '0.000000000000000003',
    expected: '0.000000000000000003 ETH, −66.6 %',
  },
])('reports the way from $previous to $value as "$reported"', ({ expected, ...given }) => {
  expect(alertText(anAlert(given), BELOW_60)).toContain(`\nWas: ${expected}\n`);
});

it('reports nothing of a value before where there was none', () => {
  expect(alertText(anAlert({ previous: null }), BELOW_60)).not.toContain('Was:');
});

it('reports how long an episode has gone on', () => {
  const alert = anAlert({ kind: 'reminder', duration: '1193s' });

  expect(alertText(alert, BELOW_60)).toContain('\nSo far: 19 min 53 s\n');
});

it('reminds of an episode in which no trade is left', () => {
  const alert = anAlert({
    kind: 'reminder',
    metric: 'lowest_price.7d',
    when: 'above',
    value: null,
  });

  expect(alertText(alert, { condition: 'at or above 60 ETH' })).toMatch(
    /^CryptoPunks: lowest sale of 7 days: no sale left, still at or above 60 ETH\n/,
  );
});

it('reports the transaction of a sale as what it is', () => {
  const alert = anAlert({ metric: 'lowest_price.7d', source: '0xec72' });

  expect(alertText(alert, BELOW_60)).toContain('\nSource: transaction 0xec72\n');
});

describe('of missing data', () => {
  const missing = { condition: 'at or above 1 min', missing: 'no new floor price for 1 min' };
  const minutes = { metric: 'data_age_minutes', unit: 'minutes', previous: null, value: '5' };

  it('says what was asked for, and invents no rule', () => {
    const text = alertText(anAlert({ kind: 'stale', ...minutes }), missing);

    expect(text).toMatch(
      /^CryptoPunks: no new floor price for 5 min\n\nAsked for: no new floor price for 1 min\nAs of: /,
    );
  });

  it('says how long its alert was open, for the gap itself is longer', () => {
    const alert = anAlert({ kind: 'fresh', ...minutes, duration: '4m' });

    expect(alertText(alert, { ...missing, label: 'Cheap punks' })).toMatch(
      /^CryptoPunks: floor prices again, the newest 5 min old\n\nRule: Cheap punks\nAsked for: no new floor price for 1 min\nAlert was open for: 4 min\n/,
    );
  });
});

it.each<[string, Parameters<typeof urgency>[0]]>([
  ['[critical] ', { severity: 'critical', kind: 'fired', open: true }],
  ['[critical] ', { severity: 'critical', kind: 'fired', open: null }],
  ['[resolved] ', { severity: 'critical', kind: 'recovered', open: false }],
  ['[resolved] ', { severity: 'critical', kind: 'summary', open: false }],
  ['', { severity: 'critical', kind: 'closed', open: false }],
  ['', { severity: 'warning', kind: 'recovered', open: false }],
])('begins with "%s", since good news is never critical: %j', (mark, alert) => {
  expect(urgency(alert)).toBe(mark);
});
