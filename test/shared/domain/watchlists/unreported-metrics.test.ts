import { expect, it } from 'vitest';
import { unreportedMetrics } from '#shared/domain/watchlists/unreported-metrics.ts';
import { aRule } from '#test/support/builders.ts';

it.each(['best_offer', 'spread_pct'])(
  'rejects a rule on %s if the provider reports no offers',
  (metric) => {
    const [issue, ...others] = unreportedMetrics(aRule({ metric, threshold: '5' }), 'nft-data');

    expect(issue?.path).toEqual(['metric']);
    expect(issue?.message).toMatch(/^expected a metric that .* reports no best offer$/);
    expect(others).toEqual([]);
  },
);

it.each(['best_offer', 'spread_pct', 'floor_price'])(
  'accepts a rule on %s with OpenSea',
  (metric) => {
    expect(unreportedMetrics(aRule({ metric }), 'opensea')).toEqual([]);
  },
);

it('names the joint condition whose series is not reported', () => {
  const all = ['floor_price', 'best_offer'].map((metric) => ({
    ...{ metric, when: 'below', threshold: '5' },
  }));
  const rule = aRule({ metric: undefined, when: undefined, threshold: undefined, all });

  const paths = unreportedMetrics(rule, 'coingecko').map(({ path }) => path);

  expect(paths).toEqual([['all', 1, 'metric']]);
});
