import type { Decimal } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';

/** The facts that decide which of two trades is lower. */
export type Low = {
  readonly time: Instant;
  readonly price: Decimal;
  /** The position among the trades with the same time, as reported by the source. */
  readonly order: number;
  readonly id: string;
};

/**
 * The trades of a day that can be the lowest of some window, oldest first.
 *
 * A window contains a trailing part of its first day, a leading part of its last day, and all days
 * between. A trade is therefore relevant only if it is lower than all trades before it, or if no
 * later trade is lower.
 */
export function possibleLows(trades: readonly Low[]): readonly Low[] {
  const sorted = trades.toSorted(byAge);
  const fallsBelowAll = runningLows(sorted, (price, least) => price < least);
  const staysBelowAll = runningLows(sorted.toReversed(), (price, least) => price <= least);
  return sorted.filter((trade) => fallsBelowAll.has(trade) || staysBelowAll.has(trade));
}

/**
 * The lowest trade between two instants, both inclusive. If several trades have the lowest price,
 * the earliest of them.
 */
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
