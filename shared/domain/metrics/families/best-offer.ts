import type { Point } from '#shared/domain/market/point.ts';
import type { Family } from '#shared/domain/metrics/family.ts';
import { type Measure, priceIn } from '#shared/domain/metrics/prices.ts';

export const bestOffer = {
  over: 'nothing',
  seriesOf: () => ['offer'],
  readsSales: false,
  isPercent: false,
  unit: { anyBut: 'usd', use: undefined },
  thresholds: { above: 0n },
  usual: { from: 84, to: 102 },
  usualKeepFor: undefined,
  digits: 'all',
  signed: false,
  measure: ({ unit, latest: [latest] }) => offer(unit, latest),
  named: () => 'best offer',
  described:
    '`best_offer`: the best offer for any token of the collection, in the currency of the chain. Without an offer there is no value: the rule does not fire, and an open episode stays open.',
} as const satisfies Family;

/**
 * The value of the best offer. The absence of an offer is not a low price. Unlike the absence of a
 * sale, it does not end an episode.
 */
export function offer(unit: string, latest: Point | undefined): Measure {
  return latest?.kind === 'empty' ? { kind: 'none', why: 'no_offer' } : priceIn(unit, latest);
}
