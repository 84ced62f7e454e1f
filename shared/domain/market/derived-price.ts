import type { Instant } from './instant.ts';
import type { Point, PricePoint } from './point.ts';

/**
 * The reason for a missing derived price: a floor is unknown (`floors`), or the floors have no
 * common currency (`currencies`).
 */
export type NoDerivedPrice = 'floors' | 'currencies';

/** Computes a price from the floors of several contracts, in the order of the contracts. */
export type Derive = (floors: readonly (Point | undefined)[]) => PricePoint | NoDerivedPrice;

/** The floors as prices; undefined if a floor is unknown. */
export function allPrices(
  floors: readonly (Point | undefined)[],
): readonly [PricePoint, ...PricePoint[]] | undefined {
  const [first, ...others] = floors.filter((floor) => floor?.kind === 'price');
  if (first === undefined || others.length + 1 < floors.length) return undefined;
  return [first, ...others];
}

/** Whether all prices are in one currency. */
export function haveOneCurrency([first, ...others]: readonly PricePoint[]): boolean {
  return others.every(({ currency }) => currency === first?.currency);
}

/** The prices in dollars; undefined if a price lacks its value in dollars. */
export function inDollars(prices: readonly PricePoint[]): readonly bigint[] | undefined {
  const dollars = prices.flatMap(({ usd }) => usd ?? []);
  return dollars.length === prices.length ? dollars : undefined;
}

/** The time of the latest price. */
export function latestTime(prices: readonly PricePoint[]): Instant {
  return Math.max(...prices.map(({ time }) => time));
}

/**
 * Derives past prices from past floors, oldest first: one price at the time of each floor, once all
 * contracts have a floor. The floors of each contract are sorted by time. If several floors of a
 * contract have the same time, the last one is used.
 */
export function derivedPrices(
  known: readonly (readonly PricePoint[])[],
  derive: Derive,
): readonly PricePoint[] {
  const times = new Set(known.flat().map(({ time }) => time));
  const next = known.map(() => 0);
  return [...times]
    .toSorted((one, other) => one - other)
    .flatMap((time): readonly PricePoint[] => {
      const held = known.map((floors, index) => {
        let count = next[index] ?? 0;
        while ((floors[count]?.time ?? Number.POSITIVE_INFINITY) <= time) count += 1;
        next[index] = count;
        return floors[count - 1];
      });
      const price = derive(held);
      return typeof price === 'string' ? [] : [price];
    });
}
