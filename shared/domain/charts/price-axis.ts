import { type Decimal, formatDecimal, ONE } from '#shared/domain/market/decimal.ts';

/** The range of prices in a chart, from the lower to the upper edge. */
export type PriceRange = { readonly low: Decimal; readonly high: Decimal };

/** Additional lines may widen the range to at most this multiple of the range of the prices. */
const WIDENED = 2n;
/** The margin above and below the prices is the range divided by this number. */
const MARGIN = 10n;
/** If all prices are equal, the margin is the price divided by this number. */
const ALONE = 50n;

/**
 * The range of the prices. The range includes additional lines, unless they would widen it so much
 * that the prices would look flat.
 */
export function priceRange(prices: readonly Decimal[], besides: readonly Decimal[]): PriceRange {
  const range = (of: readonly Decimal[]) => ({ low: least(of), high: greatest(of) });
  const own = range(prices.length === 0 ? besides : prices);
  const all = besides.reduce((widest, line) => {
    const wider = range([widest.low, widest.high, line]);
    const isNear = wider.high - wider.low <= (own.high - own.low) * WIDENED;
    return isNear ? wider : widest;
  }, own);
  const margin = (all.high - all.low) / MARGIN || magnitude(all.high) / ALONE || ONE;
  // Prices and numbers of sales are never negative.
  const low = all.low >= 0n && all.low < margin ? 0n : all.low - margin;
  return { low, high: all.high + margin };
}

/** Three to six multiples of a round step within a range, as labels of the axis. */
export function priceTicks({ low, high }: PriceRange): readonly Decimal[] {
  const step = stepWithin(high - low);
  const first = ceiling(low, step);
  return Array.from({ length: 6 }, (_, index) => first + BigInt(index) * step).filter(
    (tick) => tick <= high,
  );
}

/**
 * The largest round step that fits three times into the range, so that at least three of its
 * multiples are in the range.
 */
function stepWithin(range: Decimal): Decimal {
  for (let power = 10n ** 38n; power > 1n; power /= 10n) {
    for (const tenths of [50n, 25n, 20n, 10n]) {
      const step = (power * tenths) / 10n;
      if (step * 3n <= range) return step;
    }
  }
  return 1n;
}

const SHORT: readonly (readonly [Decimal, string])[] = [
  [10n ** 9n * ONE, 'B'],
  [10n ** 6n * ONE, 'M'],
  [10n ** 3n * ONE, 'k'],
];

/** A price on an axis: `9.5`, `$12.5k`. */
export function priceLabel(price: Decimal, unit: string): string {
  const size = magnitude(price);
  const [scale, suffix] = (size >= 10_000n * ONE &&
    SHORT.find(([scale]) => size >= scale && (price * ONE) % scale === 0n)) || [ONE, ''];
  const sign = price < 0n ? '−' : '';
  return `${sign}${unit === 'usd' ? '$' : ''}${formatDecimal((size * ONE) / scale)}${suffix}`;
}

function ceiling(value: Decimal, step: Decimal): Decimal {
  const below = (value / step) * step;
  return below < value ? below + step : below;
}

function magnitude(value: Decimal): Decimal {
  return value < 0n ? -value : value;
}

function least(values: readonly Decimal[]): Decimal {
  return values.reduce((found, value) => (value < found ? value : found), values[0] ?? 0n);
}

function greatest(values: readonly Decimal[]): Decimal {
  return values.reduce((found, value) => (value > found ? value : found), values[0] ?? 0n);
}
