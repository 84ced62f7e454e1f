import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { momentOf } from '#shared/domain/market/instant.ts';
import { type Part, seriesOf } from '#shared/domain/market/price-series.ts';
import { isClock, partsOfMetric } from '#shared/domain/metrics/metric.ts';
import { amountInWords } from '#shared/domain/metrics/value-text.ts';
import { type ContractRecord, newestOf } from '#shared/domain/polling/contract-record.ts';
import { type PartHealth, partHealth } from '#shared/domain/polling/part-health.ts';
import type { MeasuredClause } from './measured-clause.ts';
import type { Watch } from './watch.ts';

/** Whether the data of a watch are sound; if not, since when and why, as a code and in words. */
export type WatchHealth = {
  readonly state: PartHealth['state'] | 'error';
  readonly code: string;
  readonly reason: string | null;
  readonly since: string | null;
};

/** The health of the data of a watch: that of the first unsound part, or else of the first part. */
export function healthOf(
  watch: Watch,
  readings: readonly MeasuredClause[],
  record: ContractRecord | undefined,
): WatchHealth {
  if (watch.brokenSince !== undefined) {
    const reason = 'this rule could not be evaluated; the operators have been informed';
    return { state: 'error', code: 'not_evaluated', reason, since: momentOf(watch.brokenSince) };
  }
  return readings
    .flatMap((reading) =>
      partsOfMetric(reading.metric).map((part) => healthWith(watch, reading, part, record)),
    )
    .reduce((first, other) => (first.state !== 'fresh' || other.state === 'fresh' ? first : other));
}

function healthWith(
  watch: Watch,
  reading: MeasuredClause,
  part: Part,
  record: ContractRecord | undefined,
): WatchHealth {
  const known = record?.parts[part];
  const since = known?.outcome === undefined ? watch.since : known.since;
  const takesNoOutliers = !watch.ruleCondition.takesOutliers && !isClock(reading.metric);
  return { ...soundnessOf(reading, part, record, takesNoOutliers), since: momentOf(since) };
}

function soundnessOf(
  { unit, measured }: MeasuredClause,
  part: Part,
  record: ContractRecord | undefined,
  takesNoOutliers: boolean,
): PartHealth {
  const { operation, hasGlitches } = seriesOf(part);
  const known = record?.parts[part];
  const why = measured.kind === 'none' ? measured.why : undefined;
  const point = record && newestOf(record, part);
  if (known?.outcome !== undefined && why === 'other_unit' && point?.kind === 'price') {
    const words = `the provider reports the price in ${point.currency}; the rule watches it in ${unit}`;
    return { state: 'disputed', code: why, reason: words };
  }
  if (known?.outcome === 'ok' && why === 'no_usd') {
    const words = `the provider reports the price without its value in ${unit}`;
    return { state: 'disputed', code: 'no_value', reason: words };
  }
  if (known?.outcome === 'ok' && why === 'short_window') {
    const words = 'no price is known from before the window';
    return { state: 'waiting', code: why, reason: words };
  }
  if (
    known?.outcome === 'ok' &&
    why === 'ignored' &&
    operation === 'lowest' &&
    point?.kind === 'price'
  ) {
    const sold = amountInWords(formatDecimal(point.price), point.currency);
    const words = `the lowest sale, ${sold}, is below the \`ignoreBelow\` of the rule, and no sale above it is known`;
    return { state: 'disputed', code: why, reason: words };
  }
  if (known?.outcome === 'ok' && why === 'unconfirmed' && point?.kind === 'price') {
    const price = amountInWords(formatDecimal(point.price), point.currency);
    const by = point.source ?? 'the provider';
    const words =
      point.confirmedBy === undefined
        ? `the floor of ${price} is reported by ${by} alone; the rule waits for a second source`
        : 'the floor that it is measured against was reported by one source alone';
    return { state: 'waiting', code: why, reason: words };
  }
  const { suspect, accepted } = record?.timeline ?? { accepted: [] };
  const standing = accepted.at(-1);
  const isSuspect = hasGlitches && known?.outcome === 'ok' && takesNoOutliers;
  if (isSuspect && suspect !== undefined && standing !== undefined) {
    const price = amountInWords(formatDecimal(suspect.price), suspect.currency);
    const before = amountInWords(formatDecimal(standing.price), standing.currency);
    const words = `the newest floor, ${price}, is far from the previous one, ${before}, and is not confirmed yet`;
    return { state: 'disputed', code: 'outlier', reason: words };
  }
  return partHealth(part, record);
}
