import { candlesOf, candleWidth, type Quote } from './candles.ts';
import type { Drawn } from './points-on-screen.ts';

/** The share of its width that a bar fills. */
const FILLED = 0.6;

/** Bars are as wide as candles. */
export type VolumeBars = {
  readonly width: number;
  /** The last volume of each stretch of time; stretches without one are left out. */
  readonly bars: readonly Drawn[];
};

/** Bars of a recorded volume. A volume holds until the next one, except in a gap. */
export function volumeBars(
  quotes: readonly Quote[],
  gaps: readonly { readonly from: number; readonly to: number }[],
  from: number,
  to: number,
): VolumeBars {
  const bars = candlesOf(quotes, gaps, from, to).flatMap((candle) =>
    'close' in candle ? [{ time: candle.time, value: Number(candle.close) }] : [],
  );
  return { width: candleWidth(from, to), bars };
}

/**
 * The bars on the axis of the prices. The chart draws one line for each place of the axis, so a bar is
 * all places within its time, except for a space before the next bar.
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
