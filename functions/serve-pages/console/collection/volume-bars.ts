import { candleWidth, groupIntoCandles, type Quote } from './candles.ts';
import type { Drawn } from './points-on-screen.ts';

/** The fraction of an interval that its bar fills. The rest is the space before the next bar. */
const FILLED = 0.6;

/** The bars of a volume. Each bar covers an interval of the same width as a candle. */
export type VolumeBars = {
  readonly width: number;
  /** The last volume of each interval. Intervals without a volume have no bar. */
  readonly bars: readonly Drawn[];
};

/**
 * Groups a recorded volume into bars. A value is valid until the next one is recorded, except in a
 * gap.
 */
export function volumeBars(
  quotes: readonly Quote[],
  gaps: readonly { readonly from: number; readonly to: number }[],
  from: number,
  to: number,
): VolumeBars {
  const bars = groupIntoCandles(quotes, gaps, from, to).flatMap((candle) =>
    'close' in candle ? [{ time: candle.time, value: Number(candle.close) }] : [],
  );
  return { width: candleWidth(from, to), bars };
}

/**
 * Lays bars out on the axis of the prices. The chart draws a thin line at each place of the axis,
 * so each bar takes several adjacent places.
 */
export function barsOn(
  { width, bars }: VolumeBars,
  places: readonly { readonly time: number }[],
): readonly Drawn[] {
  const values = new Map(bars.map(({ time, value }) => [time, value]));
  return places.flatMap(({ time }) => {
    const begun = Math.floor(time / width) * width;
    const value = values.get(begun);
    return value === undefined || time - begun >= width * FILLED ? [] : [{ time, value }];
  });
}
