import type { Decimal } from '#shared/domain/market/decimal.ts';
import type { Point } from '#shared/domain/market/point.ts';
import { type Measure, priceIn } from './prices.ts';

/** Held tokens of one contract. */
export type Holding = {
  /** Cost of one token. */
  readonly cost: Decimal;
  readonly amount: bigint;
};

/** Measures a metric of a floor and a holding. A watch of such a metric always has a holding. */
export function measuredOfHolding(
  { holding, unit, floors }: AskedOfHolding,
  gainOf: (floor: Decimal, holding: Holding) => Measure,
): Measure {
  if (holding === undefined) throw new RangeError('cannot compute a gain without a holding');
  const floor = priceIn(unit, floors.at(-1));
  return floor.kind === 'none' ? floor : gainOf(floor.value, holding);
}

type AskedOfHolding = {
  readonly holding?: Holding | undefined;
  readonly unit: string;
  readonly floors: readonly Point[];
};

/** The quotient rounded down, and rounded up. The two are equal if there is no remainder. */
export function quotientBounds(
  dividend: bigint,
  divisor: bigint,
): readonly [least: bigint, greatest: bigint] {
  const cut = dividend / divisor;
  if (cut * divisor === dividend) return [cut, cut];
  return dividend < 0n ? [cut - 1n, cut] : [cut, cut + 1n];
}
