import { GREATEST, ONE } from './decimal.ts';
import {
  allPrices,
  haveOneCurrency,
  inDollars,
  latestTime,
  type NoDerivedPrice,
} from './derived-price.ts';
import type { Point, PricePoint } from './point.ts';

/** The unit of a ratio of floors, used in place of a currency. */
export const RATIO_UNIT = 'ratio';

/**
 * Divides the first floor by the average of the others. The result is truncated to 18 fraction
 * digits, and stays below `GREATEST`. Floors in several currencies are compared in dollars. The
 * result has the time of the latest floor.
 */
export function floorRatio(floors: readonly (Point | undefined)[]): PricePoint | NoDerivedPrice {
  const prices = allPrices(floors);
  if (prices === undefined) return 'floors';
  const amounts = haveOneCurrency(prices) ? prices.map(({ price }) => price) : inDollars(prices);
  const [compared, ...others] = amounts ?? [];
  if (compared === undefined) return 'currencies';
  const sum = others.reduce((total, amount) => total + amount, 0n);
  if (sum === 0n) return 'floors';
  const ratio = (compared * BigInt(others.length) * ONE) / sum;
  const price = ratio < GREATEST ? ratio : GREATEST - 1n;
  return { kind: 'price', time: latestTime(prices), price, currency: RATIO_UNIT };
}
