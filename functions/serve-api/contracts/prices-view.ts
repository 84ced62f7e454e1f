import { thinOut } from '#shared/domain/charts/thin-out.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { formatInstant, type Instant, momentOf } from '#shared/domain/market/instant.ts';
import { withoutGlitches } from '#shared/domain/market/outlier.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { type Part, seriesOf } from '#shared/domain/market/price-series.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import { partHealth } from '#shared/domain/polling/part-health.ts';
import { decimalOf } from '#shared/http/price-view.ts';
import type { PriceSpan, Prices, RecordedPoint } from './answers/contracts.ts';

/** The recorded prices of one part of a contract, and its record. */
export type RecordedPrices = {
  readonly contract: ContractKey;
  readonly part: Part;
  /** In the order of time; the first may have held before the span. */
  readonly recorded: readonly PricePoint[];
  readonly record: ContractRecord | undefined;
  /** The end of the span. */
  readonly to: Instant;
};

/** At most so many prices, with all extremes. */
export function pricesView(prices: RecordedPrices, most: number): Prices {
  const { contract, part, recorded } = prices;
  const points = thinOut(recorded, most);
  const believed = new Set(confirmedTimes(part, recorded));
  return {
    contract,
    part,
    points: points.map((point) => pointView(point, !believed.has(point.time))),
    thinned: points.length < recorded.length,
    gaps: [...missingBefore(prices), ...silence(prices)],
    disputes: disputes(prices),
  };
}

function confirmedTimes(part: Part, recorded: readonly PricePoint[]): readonly Instant[] {
  return (seriesOf(part).hasGlitches ? withoutGlitches(recorded) : recorded).map(
    ({ time }) => time,
  );
}

function pointView(point: PricePoint, isOutlier: boolean): RecordedPoint {
  const { time, price, currency, usd, source, tradedAt } = point;
  return {
    time: formatInstant(time),
    price: formatDecimal(price),
    currency,
    usd: decimalOf(usd),
    source: source ?? null,
    tradedAt: momentOf(tradedAt),
    outlier: isOutlier,
  };
}

/** The gap that ends where none of the floors is missing any more. */
function missingBefore({ part, recorded, record }: RecordedPrices): readonly PriceSpan[] {
  const since = seriesOf(part).hasPast ? record?.past?.since : undefined;
  const next = since === undefined ? -1 : recorded.findIndex(({ time }) => time >= since);
  const [before, after] = [recorded[next - 1], recorded[next]];
  return before === undefined || after === undefined
    ? []
    : [spanView(before.time, after.time, 'floors of this time are missing')];
}

/** Since when no answer has been usable. */
function silence(prices: RecordedPrices): readonly PriceSpan[] {
  const { part, record, to } = prices;
  const known = record?.parts[part];
  const since = known?.silentSince;
  if (since === undefined || since > to) return [];
  return [spanView(since, undefined, partHealth(part, record).reason)];
}

/** Since when the price is contradicted. */
function disputes({ part, record, to }: RecordedPrices): readonly PriceSpan[] {
  const known = record?.parts[part];
  const since = known?.disputedSince ?? (known?.outcome === 'disputed' ? known.since : undefined);
  if (since === undefined || since > to) return [];
  return [spanView(since, undefined, partHealth(part, record).reason)];
}

function spanView(from: Instant, to: Instant | undefined, reason: string | null): PriceSpan {
  return { from: formatInstant(from), to: momentOf(to), reason };
}
