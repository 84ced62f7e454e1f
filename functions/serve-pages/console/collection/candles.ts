const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Usual widths of candles, in milliseconds. */
const WIDTHS = [
  ...[MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 12 * HOUR],
  ...[DAY, 2 * DAY, 7 * DAY],
];
const MOST_CANDLES = 120;
const WEEK = 7 * DAY;

/** A floor with its time. The price is an exact decimal string. */
export type Quote = { readonly time: number; readonly price: string };

/** The first, highest, lowest and last floor of an interval. */
export type Candle = {
  readonly time: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
};

type Gap = { readonly from: number; readonly to: number };

/** The smallest usual width that divides a time span into at most 120 candles. */
export function candleWidth(from: number, to: number): number {
  const least = (to - from) / MOST_CANDLES;
  return WIDTHS.find((width) => width >= least) ?? Math.ceil(least / WEEK) * WEEK;
}

/**
 * Groups recorded floors into candles. A floor is valid until the next one is recorded, so a candle
 * opens at the close of the previous candle. An interval within a gap has no candle.
 */
export function groupIntoCandles(
  quotes: readonly Quote[],
  gaps: readonly Gap[],
  from: number,
  to: number,
): readonly (Candle | { readonly time: number })[] {
  const width = candleWidth(from, to);
  const starts = Math.floor(from / width);
  const count = Math.max(1, Math.ceil(to / width) - starts);
  let next = 0;
  let last: string | undefined;
  return Array.from({ length: count }, (_, index) => {
    const time = (starts + index) * width;
    const end = time + width;
    const prices = last === undefined ? [] : [last];
    const begun = next;
    for (let quote = quotes[next]; quote !== undefined && quote.time < end; quote = quotes[next]) {
      prices.push(quote.price);
      next += 1;
    }
    const [open] = prices;
    last = prices.at(-1);
    const isGap = begun === next && gaps.some((gap) => gap.from <= time && end <= gap.to);
    if (open === undefined || last === undefined || isGap) return { time };
    return { time, open, high: highest(prices), low: lowest(prices), close: last };
  });
}

function highest(prices: readonly string[]): string {
  return prices.reduce((one, other) => (Number(other) > Number(one) ? other : one));
}

function lowest(prices: readonly string[]): string {
  return prices.reduce((one, other) => (Number(other) < Number(one) ? other : one));
}
