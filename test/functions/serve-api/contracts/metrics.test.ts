import { describe, expect, it } from 'vitest';
import { METRIC_NAMES } from '#shared/domain/metrics/metric.ts';
import { AlertRule } from '#shared/domain/rules/alert-rule.ts';
import { world } from './world.ts';

type Family = {
  readonly id: string;
  readonly metrics: readonly { readonly metric: string; readonly span: string | null }[];
  readonly unit: string;
  readonly units: readonly string[];
  readonly when: readonly string[];
  readonly joins: boolean;
  readonly subject: string;
  readonly takesIgnoreBelow: boolean;
  readonly reported: boolean;
};

async function catalogue(): Promise<readonly Family[]> {
  const { status, body } = await world().ask('GET /v1/metrics');
  expect(status).toBe(200);
  return body.metrics;
}

const isRule = (rule: object) => AlertRule.safeParse(rule).success;

/** A rule on a metric, with the thresholds that its condition needs. */
const ruleOf = (metric: string, when: string, given: object = {}) => ({
  metric,
  when,
  ...(['outside', 'inside'].includes(when) ? { low: '10', high: '20' } : { threshold: '10' }),
  ...given,
});

describe('the catalogue of metrics', () => {
  it('the catalogue has exactly one entry for each metric that rules can use', async () => {
    const named = (await catalogue()).flatMap(({ metrics }) => metrics.map(({ metric }) => metric));

    const withoutShort = METRIC_NAMES.filter(
      (name) => !['lowest_price', 'sale_discount_pct'].includes(name),
    );
    expect(named.toSorted()).toEqual(withoutShort.toSorted());
  });

  it('the catalogue lists exactly the conditions, units and options that the rule schema accepts', async () => {
    const whens = ['below', 'above', 'outside', 'inside', 'crosses'];
    for (const { metrics, when, units, joins, takesIgnoreBelow, subject } of await catalogue()) {
      for (const { metric } of metrics) {
        expect([metric, whens.filter((one) => isRule(ruleOf(metric, one)))]).toEqual([
          metric,
          whens.filter((one) => when.includes(one)),
        ]);
        const ofUnits = ['eth', 'usd', 'pol', 'ape'];
        expect([
          metric,
          ofUnits.filter((unit) => isRule(ruleOf(metric, 'above', { unit }))),
        ]).toEqual([metric, ofUnits.filter((unit) => units.includes(unit))]);
        const other = ruleOf(subject === 'list' ? 'list_value' : 'floor_price', 'above');
        expect([
          metric,
          isRule({ all: [ruleOf(metric, 'above', { threshold: '11' }), other] }),
        ]).toEqual([metric, joins]);
        expect([metric, isRule(ruleOf(metric, 'above', { ignoreBelow: '1' }))]).toEqual([
          metric,
          takesIgnoreBelow,
        ]);
      }
    }
  });

  it.each([
    { provider: 'nft-data', isReported: false },
    { provider: 'opensea', isReported: true },
  ] as const)(
    'the catalogue of a stack with $provider marks statistics as reported: $isReported',
    async ({ provider, isReported }) => {
      const { body } = await world({ provider }).ask('GET /v1/metrics');
      const families: readonly Family[] = body.metrics;
      const reported = (id: string) => families.find((one) => one.id === id)?.reported;

      expect(['volume', 'sales', 'average_price', 'owners'].map(reported)).toEqual(
        Array.from({ length: 4 }, () => isReported),
      );
      expect(reported('floor_price')).toBe(true);
    },
  );

  it('the catalogue gives the span and the unit of each metric', async () => {
    const [drop] = (await catalogue()).filter(({ id }) => id === 'floor_drop_pct');

    expect(drop).toMatchObject({
      unit: 'percent',
      metrics: [{ span: '1h' }, { span: '6h' }, {}, {}, {}],
    });
  });
});
