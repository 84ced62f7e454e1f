import type * as z from 'zod';
import { type ContractKey, isOfTraits, ratioKey } from '#shared/domain/market/contract.ts';
import type { Metric } from '#shared/domain/metrics/metric.ts';
import type { WatchlistBody } from '#shared/domain/watchlists/watchlist-body.ts';
import type { Stream } from '#test/simulation/services/streams.ts';
import type { RuleBody } from './rule-bodies.ts';

type Body = z.input<typeof WatchlistBody>;

/** One list in four compares the floor of a contract with the floors of other contracts. */
export function createComparer(canary: string, ratios: Stream): (body: Body) => Body {
  if (!ratios.happens(0.25)) return (body) => body;
  let rule = ratioRule(canary, ratios);
  return (body) => {
    const contracts = (body.contracts ?? []).filter((one) => typeof one === 'string');
    const whole = contracts.filter((one) => !isOfTraits(one as ContractKey)) as ContractKey[];
    const [first, ...others] = ratios.happens(0.5) ? whole : whole.toReversed();
    const of = others.slice(0, ratios.between(1, 2));
    const ratio = first && ratioKey(first, of);
    if (ratio === undefined || ratios.happens(0.1)) return body;
    if (ratios.happens(0.2)) rule = ratioRule(canary, ratios);
    const rules = (body.rules ?? []).map(({ on = '*', ...one }) => ({
      ...one,
      on: on === '*' ? contracts : on,
    }));
    return { ...body, contracts: [...contracts, ratio], rules: [...rules, { ...rule, on: ratio }] };
  };
}

/**
 * A rule on a ratio of floors. Thresholds are near 1, because all floors of the simulated market
 * are about equal.
 */
function ratioRule(canary: string, ratios: Stream): RuleBody {
  const isOfWindow = ratios.happens(0.5);
  const metric: Metric = isOfWindow
    ? ratios.pick(['relative_change_pct.1h', 'relative_change_pct.24h'])
    : 'floor_ratio';
  const when = ratios.pick(['below', 'above', 'crosses'] as const);
  const tenths = ratios.between(-20, 20);
  const threshold = isOfWindow ? `${tenths / 10}` : `${(1000 + tenths) / 1000}`;
  const waits =
    when === 'crosses'
      ? {}
      : ratios.pick([
          {},
          { for: `${ratios.between(1, 10)}m` },
          { keepFor: '3m', repeat: { reminder: '7m' } },
          { confirm: { times: 2, of: 3 } },
          { steps: '1' },
        ]);
  return { id: 'ratio', label: `${canary} ratio`, metric, when, threshold, ...waits };
}
