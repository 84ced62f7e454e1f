import { expect, it } from 'vitest';
import { inFormWords } from '#console/rule/form-words.ts';
import { AlertRule } from '#shared/domain/rules/alert-rule.ts';
import { unreportedMetrics } from '#shared/domain/watchlists/unreported-metrics.ts';

const BARE = { metric: 'floor_price', when: 'below', threshold: '60' };
const problem = { type: 'about:blank', title: 'Not valid', status: 400, detail: 'The rule.' };

/** The problem with a rule as the API returns it. */
function problemWith(rule: object) {
  const { error } = AlertRule.safeParse({ ...BARE, ...rule });
  const errors = (error?.issues ?? []).map(({ path, message }) => ({
    ...{ pointer: path.map((part) => `/${String(part)}`).join(''), detail: message },
  }));
  return { ...problem, errors };
}

it.each([
  { rule: { threshold: 'twelve' }, at: '/threshold', says: 'Enter a number, such as 9.5.' },
  { rule: { threshold: '-1' }, at: '/threshold', says: 'Enter a number above 0.' },
  {
    rule: { steps: '300' },
    at: '/steps',
    says: 'Enter a percentage above 0 and below 100, such as 10.',
  },
  {
    rule: { for: 'long' },
    at: '/for',
    says: 'Enter a duration from 1m to 90d, such as 30m, 6h or 2d.',
  },
  {
    rule: { recover: '50' },
    at: '/recover',
    says: 'Enter a number above the threshold if the rule fires at lower values, or below it if the rule fires at higher values.',
  },
  {
    rule: { when: 'outside', threshold: undefined, low: '3', high: '2' },
    at: '/high',
    says: 'Enter a number above “From”.',
  },
  {
    rule: { confirm: { times: 4, of: 3 } },
    at: '/confirm/times',
    says: 'Enter a number that is not larger than “Values considered”.',
  },
  {
    rule: { notify: [] },
    at: '/notify',
    says: 'Choose at least one channel. To stop all alerts, turn the rule off.',
  },
])('an error at $at is translated into the words of the form', ({ rule, at, says }) => {
  expect(inFormWords(problemWith(rule)).errors).toEqual([{ pointer: at, detail: says }]);
});

it('the error about a metric that the provider does not report is translated into the words of the form', () => {
  const [unreported] = unreportedMetrics({ metric: 'volume.1d' }, 'nft-data');
  const errors = [{ pointer: '/metric', detail: unreported?.message ?? '' }];

  expect(inFormWords({ ...problem, errors }).errors?.map(({ detail }) => detail)).toEqual([
    'Choose another metric: the v2.2 service reports no volume.',
  ]);
});

it('an error without a translation names fields by their labels', () => {
  const detail = 'expected something else beside "keepFor" for lowest_price.7d';

  const { errors } = inFormWords({ ...problem, errors: [{ pointer: '/repeat', detail }] });

  expect(errors?.[0]?.detail).toBe(
    'Expected something else beside “Recovered for” for lowest sale in 7d.',
  );
});

it('a problem with several members names each by the label of its field', () => {
  const { detail } = inFormWords(problemWith({ threshold: 'x', keepFor: 'y' }));

  expect(detail).toContain('Threshold: Enter a number, such as 9.5.');
  expect(detail).toContain('Recovered for: Enter a duration from 1m to 90d');
});
