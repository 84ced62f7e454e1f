import type { Decimal } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';

/** What decides which of two trades is the lowest. */
export type Low = {
  readonly time: Instant;
  readonly price: Decimal;
  /** The place of the trade among those of its time, as its source reported them. */
  readonly order: number;
  readonly id: string;
};

/**
 * Of the trades of a day those that can be the lowest of a window, oldest first.
 *
 * A window of whole days holds of its first day all from some moment on, of its last all up to
 * some moment, and the days between whole. So a trade counts only if none before it is as low, or
 * none after it is lower.
 */
export function lowsOf(trades: readonly Low[]): readonly Low[] {
  const sorted = trades.toSorted(byAge);
  const fallsBelowAll = runningLows(sorted, (price, least) => price < least);
  const staysBelowAll = runningLows(sorted.toReversed(), (price, least) => price <= least);
  return sorted.filter((trade) => fallsBelowAll.has(trade) || staysBelowAll.has(trade));
}

/** The lowest of what lies between two moments, both included; the earliest wins a tie. */
export function lowestWithin(lows: readonly Low[], from: Instant, to: Instant): Low | undefined {
  return lows
    .filter(({ time }) => time >= from && time <= to)
    .reduce<Low | undefined>((lowest, low) => {
      const isLower =
        lowest === undefined ||
        low.price < lowest.price ||
        (low.price === lowest.price && byAge(low, lowest) < 0);
      return isLower ? low : lowest;
    }, undefined);
}

function runningLows(
  trades: readonly Low[],
  isLow: (price: Decimal, least: Decimal) => boolean,
): ReadonlySet<Low> {
  const lows = new Set<Low>();
  let least: Decimal | undefined;
  for (const trade of trades) {
    if (least !== undefined && !isLow(trade.price, least)) continue;
    least = trade.price;
    lows.add(trade);
  }
  return lows;
}

function byAge(a: Low, b: Low): number {
  return a.time - b.time || a.order - b.order || (a.id < b.id ? -1 : Number(a.id > b.id));
}
