import { expect, it } from 'vitest';
import { CHAINS } from '#shared/domain/market/chains.ts';
import { AlertRule, keepsRuleCondition, ruleConditionOf } from '#shared/domain/rules/alert-rule.ts';
import { aRule, aRuleBody, eth, PUNKS } from '#test/support/builders.ts';

const [ETHEREUM] = CHAINS;

it('fills in the defaults of a rule', () => {
  const rule = AlertRule.parse({ metric: 'floor_price', when: 'below', threshold: '60' });

  expect(rule).toEqual({
    on: '*',
    metric: 'floor_price',
    when: 'below',
    threshold: '60',
    arm: 'level',
    outliers: 'confirm',
    severity: 'warning',
    notifyRecovery: true,
    enabled: true,
    repeat: 'every',
    noData: 'keep',
  });
});

it.each([
  { given: { threshold: '060.50' }, reported: { threshold: '60.5' } },
  { given: { recover: '70.0' }, reported: { recover: '70' } },
  { given: { metric: 'lowest_price' }, reported: { metric: 'lowest_price.7d' } },
  { given: { on: PUNKS.toUpperCase().replace('0X', '0x') }, reported: { on: PUNKS } },
  { given: { label: '  Cafe\u0301 ' }, reported: { label: 'Café' } },
  {
    given: { expiresAt: '2026-12-31T00:00:00+01:00' },
    reported: { expiresAt: '2026-12-30T23:00:00.000Z' },
  },
])('normalizes the members $given of a rule to $reported', ({ given, reported }) => {
  expect(aRule(given)).toMatchObject(reported);
});

it.each([
  { given: { metric: 'floor' }, at: 'metric', expected: 'expected floor_price' },
  { given: { when: 'under' }, at: 'when', expected: '"below"|"above"' },
  { given: { threshold: 60 }, at: 'threshold', expected: 'expected string' },
  { given: { threshold: '0' }, at: 'threshold', expected: 'above 0 ' },
  { given: { threshold: '-1' }, at: 'threshold', expected: 'above 0 ' },
  { given: { threshold: '1e3' }, at: 'threshold', expected: 'decimal number' },
  { given: { threshold: '0.000000000000000001' }, at: 'threshold', expected: '17 fraction digits' },
  { given: { threshold: '100000000000000000000' }, at: 'threshold', expected: 'below 10^20' },
  {
    given: { recover: '60' },
    at: 'recover',
    expected: 'a recovery threshold strictly above the threshold with',
  },
  {
    given: { recover: '59' },
    at: 'recover',
    expected: 'a recovery threshold strictly above the threshold with',
  },
  {
    given: { when: 'above', recover: '60' },
    at: 'recover',
    expected: 'a recovery threshold strictly above the threshold with',
  },
  {
    given: { when: 'above', recover: '61' },
    at: 'recover',
    expected: 'a recovery threshold strictly above the threshold with',
  },
  { given: { on: 'punks' }, at: 'on', expected: '' },
  { given: { minSources: 3 }, at: 'minSources', expected: 'at most two sources' },
  {
    given: { metric: 'lowest_price.7d', minSources: 2 },
    at: 'minSources',
    expected: 'only floors have a second source',
  },
  {
    given: { metric: 'data_age_minutes', when: 'above', threshold: '60', minSources: 2 },
    at: 'minSources',
    expected: 'only with a metric based on the floor',
  },
  { given: { arm: 'edge' }, at: 'arm', expected: '"level"|"cross"' },
  { given: { severity: 'fatal' }, at: 'severity', expected: '"warning"' },
  { given: { notifyRecovery: 'no' }, at: 'notifyRecovery', expected: 'boolean' },
  { given: { enabled: 1 }, at: 'enabled', expected: 'boolean' },
  { given: { expiresAt: 'tomorrow' }, at: 'expiresAt', expected: 'ISO 8601' },
  { given: { expiresAt: '2026-12-31' }, at: 'expiresAt', expected: 'ISO 8601' },
  { given: { expiresAt: '2026-12-31T00:00:00' }, at: 'expiresAt', expected: 'with a time zone' },
  { given: { expiresAt: '2027-02-30T00:00:00Z' }, at: 'expiresAt', expected: 'a valid time' },
  {
    given: { expiresAt: '9999-12-31T23:59:59-05:00' },
    at: 'expiresAt',
    expected: 'before the year 10000, also in UTC',
  },
  { given: { id: 'Floor' }, at: 'id', expected: 'lower-case letters' },
  { given: { id: '-a' }, at: 'id', expected: 'not beginning with a hyphen' },
  { given: { id: 'a'.repeat(41) }, at: 'id', expected: '1 to 40' },
  { given: { id: 'a#b' }, at: 'id', expected: 'letters, digits and hyphens' },
  { given: { label: '' }, at: 'label', expected: 'at least one character' },
  { given: { label: ' \n ' }, at: 'label', expected: 'at least one character' },
  { given: { label: 'a'.repeat(101) }, at: 'label', expected: 'at most 100' },
  { given: { label: 'a\nSubject: b' }, at: 'label', expected: 'without control characters' },
  { given: { label: 'a\u0000b' }, at: 'label', expected: 'without control characters' },
  { given: { label: 'a\u202eb' }, at: 'label', expected: 'without control characters' },
  { given: { label: 'a\u2028b' }, at: 'label', expected: 'without control characters' },
  { given: { label: 'a\ud800b' }, at: 'label', expected: 'without control characters' },
  { given: { treshold: '1' }, at: '', expected: 'treshold' },
])('rejects a rule with $given at "$at"', ({ given, at, expected }) => {
  const issues = AlertRule.safeParse(aRuleBody(given)).error?.issues ?? [];

  expect(issues.map(({ path }) => path.join('.'))).toEqual([at]);
  expect(issues[0]?.message).toContain(expected);
});

it.each([
  { given: {}, chain: ETHEREUM, unit: 'eth' },
  { given: {}, chain: CHAINS.find(({ name }) => name === 'polygon'), unit: 'pol' },
  { given: { metric: 'floor_price_usd' }, chain: ETHEREUM, unit: 'usd' },
])('gives a threshold the unit $unit for $given', ({ given, chain, unit }) => {
  const rule = aRule({ recover: '70.5', arm: 'cross', ...given });

  expect(chain && ruleConditionOf(rule, chain)).toEqual({
    metric: rule.metric,
    unit,
    condition: { when: 'below', threshold: eth('60'), recover: eth('70.5') },
    arm: 'cross',
  });
});

it.each([
  { edit: { label: 'x' }, keeps: true },
  { edit: { severity: 'critical' }, keeps: true },
  { edit: { notifyRecovery: false }, keeps: true },
  { edit: { expiresAt: '2026-12-31T00:00:00Z' }, keeps: true },
  { edit: { threshold: '60.00' }, keeps: true },
  { edit: { threshold: '60.01' }, keeps: false },
  { edit: { when: 'above' }, keeps: false },
  { edit: { metric: 'floor_price_usd' }, keeps: false },
  { edit: { recover: '70' }, keeps: false },
  { edit: { arm: 'cross' }, keeps: false },
  { edit: { enabled: false }, keeps: false },
])('decides whether $edit keeps the meaning of a rule: $keeps', ({ edit, keeps }) => {
  expect(keepsRuleCondition(aRule(), aRule(edit))).toBe(keeps);
});
