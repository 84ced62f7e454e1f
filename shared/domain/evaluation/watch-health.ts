import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { momentOf } from '#shared/domain/market/instant.ts';
import { type PriceSeriesName, priceSeries } from '#shared/domain/market/price-series.ts';
import { isClock, seriesOfMetric } from '#shared/domain/metrics/metric.ts';
import { amountInWords } from '#shared/domain/metrics/value-text.ts';
import { type ContractRecord, newestOf } from '#shared/domain/polling/contract-record.ts';
import { type SeriesHealth, seriesHealth } from '#shared/domain/polling/series-health.ts';
import type { MeasuredClause } from './measured-clause.ts';
import type { Watch } from './watch.ts';

/**
 * Whether the data of a watch are sound. For unsound data, `since` is the start, and `code` and
 * `reason` are the cause.
 */
export type WatchHealth = {
  readonly state: SeriesHealth['state'] | 'error';
  readonly code: string;
  readonly reason: string | null;
  readonly since: string | null;
};

/**
 * The health of a watch's data: the health of its first unsound price series, or of its first price
 * series if all are sound.
 */
export function healthOf(
  watch: Watch,
  readings: readonly MeasuredClause[],
  record: ContractRecord | undefined,
): WatchHealth {
  if (watch.brokenSince !== undefined) {
    const reason = 'this rule could not be evaluated; the operators have been notified';
    return { state: 'error', code: 'not_evaluated', reason, since: momentOf(watch.brokenSince) };
  }
  return readings
    .flatMap((reading) =>
      seriesOfMetric(reading.metric).map((series) => healthWith(watch, reading, series, record)),
    )
    .reduce((first, other) => (first.state !== 'fresh' || other.state === 'fresh' ? first : other));
}

function healthWith(
  watch: Watch,
  reading: MeasuredClause,
  series: PriceSeriesName,
  record: ContractRecord | undefined,
): WatchHealth {
  const known = record?.series[series];
  const since = known?.outcome === undefined ? watch.since : known.since;
  const takesNoOutliers = !watch.ruleCondition.takesOutliers && !isClock(reading.metric);
  return { ...soundnessOf(reading, series, record, takesNoOutliers), since: momentOf(since) };
}

function soundnessOf(
  { unit, measured }: MeasuredClause,
  series: PriceSeriesName,
  record: ContractRecord | undefined,
  takesNoOutliers: boolean,
): SeriesHealth {
  const { operation, hasGlitches } = priceSeries(series);
  const known = record?.series[series];
  const why = measured.kind === 'none' ? measured.why : undefined;
  const point = record && newestOf(record, series);
  if (known?.outcome !== undefined && why === 'other_unit' && point?.kind === 'price') {
    const words = `the provider reports the price in ${point.currency}, but the unit of the rule is ${unit}`;
    return { state: 'disputed', code: why, reason: words };
  }
  if (known?.outcome === 'ok' && why === 'no_usd') {
    const words = `the provider reports the price without its value in ${unit}`;
    return { state: 'disputed', code: 'no_value', reason: words };
  }
  if (known?.outcome === 'ok' && why === 'short_window') {
    const words = 'no price is recorded before the start of the window';
    return { state: 'waiting', code: why, reason: words };
  }
  if (
    known?.outcome === 'ok' &&
    why === 'ignored' &&
    operation === 'lowest' &&
    point?.kind === 'price'
  ) {
    const sold = amountInWords(formatDecimal(point.price), point.currency);
    const words = `the lowest sale, ${sold}, is below the rule's \`ignoreBelow\`, and no sale at or above \`ignoreBelow\` is known`;
    return { state: 'disputed', code: why, reason: words };
  }
  if (known?.outcome === 'ok' && why === 'unconfirmed' && point?.kind === 'price') {
    const price = amountInWords(formatDecimal(point.price), point.currency);
    const by = point.source ?? 'the provider';
    const words =
      point.confirmedBy === undefined
        ? `only ${by} reports the floor of ${price}; the rule waits for a second source`
        : 'the earlier floor, to which the newest one is compared, was reported by only one source';
    return { state: 'waiting', code: why, reason: words };
  }
  const { suspect, accepted } = record?.timeline ?? { accepted: [] };
  const newestAccepted = accepted.at(-1);
  const isSuspect = hasGlitches && known?.outcome === 'ok' && takesNoOutliers;
  if (isSuspect && suspect !== undefined && newestAccepted !== undefined) {
    const price = amountInWords(formatDecimal(suspect.price), suspect.currency);
    const before = amountInWords(formatDecimal(newestAccepted.price), newestAccepted.currency);
    const words = `the newest floor, ${price}, is far from the previous one, ${before}, and is not confirmed yet`;
    return { state: 'disputed', code: 'outlier', reason: words };
  }
  return seriesHealth(series, record);
}
