import type * as z from 'zod';
import type { Metric } from '#shared/domain/metrics/metric.ts';
import type { WatchlistBody } from '#shared/domain/watchlists/watchlist-body.ts';
import { USUAL_FLOOR } from '#test/simulation/services/market.ts';
import type { Stream } from '#test/simulation/services/streams.ts';
import type { RuleBody } from './rule-bodies.ts';

type Body = z.input<typeof WatchlistBody>;

/** Adds a rule on the list value to every fourth list. */
export function createValuer(canary: string, values: Stream): (body: Body) => Body {
  if (!values.happens(0.25)) return (body) => body;
  return (body) => {
    const tokens = (body.contracts ?? []).reduce((sum, member) => {
      if (typeof member === 'string') return sum;
      return sum + (member.amount ?? (member.cost === undefined ? 0 : 1));
    }, 0);
    if (tokens === 0 || values.happens(0.1)) return body;
    return { ...body, rules: [...(body.rules ?? []), valueRule(canary, tokens, values)] };
  };
}

/** The threshold is near the value of the tokens, because all floors are about equal. */
function valueRule(canary: string, tokens: number, values: Stream): RuleBody {
  const isOfWindow = values.happens(0.4);
  const metric: Metric = isOfWindow ? 'list_change_pct.1h' : 'list_value';
  const when = values.pick(['below', 'above', 'crosses'] as const);
  const percent = values.between(-20, 20) / 10;
  const usual = tokens * USUAL_FLOOR * (1 + percent / 100);
  const threshold = isOfWindow ? `${percent}` : usual.toFixed(2);
  const held = when === 'crosses' ? {} : values.pick([{}, { for: '3m' }, { keepFor: '5m' }]);
  const unit = values.happens(0.1) && isOfWindow ? { unit: 'usd' } : {};
  return { id: 'value', label: `${canary} value`, metric, when, threshold, ...held, ...unit };
}
