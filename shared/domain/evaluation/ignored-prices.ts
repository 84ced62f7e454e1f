import type { Instant } from '#shared/domain/market/instant.ts';
import { isFar, withoutGlitches } from '#shared/domain/market/outlier.ts';
import type { Point, PricePoint } from '#shared/domain/market/point.ts';
import { type PriceSeriesName, priceSeries } from '#shared/domain/market/price-series.ts';
import { measure } from '#shared/domain/metrics/measure.ts';
import { seriesOfMetric } from '#shared/domain/metrics/metric.ts';
import { clausesIn } from '#shared/domain/rules/alert-rule.ts';
import { countUpTo } from './known-at-step.ts';
import type { ReportedPast } from './replay-watch.ts';
import { seriesOfWatch, type Watch } from './watch.ts';

/**
 * A price that a rule ignores: an unconfirmed outlier, a floor without the second source that the
 * rule requires, or a sale that is too low.
 */
export type IgnoredPrice = {
  readonly series: PriceSeriesName;
  readonly point: PricePoint;
  readonly why: 'outlier' | 'unconfirmed' | 'below';
};

/** The prices of a span that a rule ignores, oldest first. */
export function ignoredPrices(
  watch: Watch,
  past: ReportedPast,
  { from, to }: { readonly from: Instant; readonly to: Instant },
): readonly IgnoredPrice[] {
  const isWithin = ({ time }: Point) => time >= from && time <= to;
  return seriesOfWatch(watch)
    .flatMap((series) => ignoredOf(watch, past, series))
    .filter(({ point }) => isWithin(point))
    .toSorted((a, b) => a.point.time - b.point.time);
}

function ignoredOf(
  watch: Watch,
  past: ReportedPast,
  series: PriceSeriesName,
): readonly IgnoredPrice[] {
  const points = (past.get(series) ?? []).filter((point) => point.kind === 'price');
  return priceSeries(series).hasGlitches
    ? floorsIgnored(watch, points).map((floor) => ({ series, ...floor }))
    : dustFor(watch, past, series, points).map((point) => ({ series, point, why: 'below' }));
}

function floorsIgnored(
  watch: Watch,
  floors: readonly PricePoint[],
): readonly Pick<IgnoredPrice, 'point' | 'why'>[] {
  const outliers = new Set(outliersFor(watch, floors));
  const isWaiting = clausesIn(watch.ruleCondition).some(({ minSources }) => minSources);
  return floors.flatMap((point): Pick<IgnoredPrice, 'point' | 'why'>[] => {
    if (outliers.has(point)) return [{ point, why: 'outlier' }];
    return isWaiting && point.confirmedBy === undefined ? [{ point, why: 'unconfirmed' }] : [];
  });
}

function outliersFor(
  { ruleCondition }: Watch,
  floors: readonly PricePoint[],
): readonly PricePoint[] {
  if (ruleCondition.takesOutliers) return [];
  const kept = withoutGlitches(floors);
  const [before, last] = kept.slice(-2);
  // If the newest floor is an outlier, it is ignored until another floor follows.
  const isHeldBack =
    before !== undefined &&
    last !== undefined &&
    last.observedAs === undefined &&
    last.confirmedBy === undefined &&
    isFar(last, before);
  const counting = new Set(isHeldBack ? kept.slice(0, -1) : kept);
  return floors.filter((floor) => !counting.has(floor));
}

function dustFor(
  { ruleCondition }: Watch,
  past: ReportedPast,
  series: PriceSeriesName,
  sales: readonly PricePoint[],
): readonly PricePoint[] {
  const clauses = clausesIn(ruleCondition).filter(({ metric }) =>
    seriesOfMetric(metric).includes(series),
  );
  return sales.filter(({ time }) =>
    clauses.some((clause) => {
      const known = new Map(
        [...past].map(([one, points]) => [one, points.slice(0, countUpTo(points, time))]),
      );
      const measured = measure(clause, known, time);
      return measured.kind === 'none' && measured.why === 'ignored';
    }),
  );
}
