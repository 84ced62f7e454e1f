import { defined } from '#shared/domain/defined.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { type Decimal, GREATEST, LEAST } from '#shared/domain/market/decimal.ts';
import type { Quantity } from '#shared/domain/metrics/measure.ts';
import { familyOf, type Metric, needsCost } from '#shared/domain/metrics/metric.ts';

/**
 * The two indexes of a contract's watches: `falling` has watches that wait for a lower value,
 * `rising` those that wait for a higher one.
 */
export type ThresholdIndex = 'falling' | 'rising';

/** The threshold of a watch in each index; absent if the watch is not in the index. */
export type Waiting = Readonly<Partial<Record<ThresholdIndex, Decimal>>>;

/**
 * The name of a pair of threshold indexes: a metric in one unit, with or without a required second
 * source of floors. `all` is for rules with several conditions, which wait for any observation.
 */
export type ThresholdIndexName = {
  readonly metric: Metric | 'all';
  readonly unit: string;
  readonly minSources?: 2;
};

/**
 * The index of the watches of a metric. For the same floor, a metric of a holding has a different
 * value in each watch, so its watches are indexed by the floor.
 */
export function thresholdIndexNameOf({
  metric,
  unit,
  minSources,
}: ThresholdIndexName): ThresholdIndexName {
  const floor = unit === 'usd' ? 'floor_price_usd' : 'floor_price';
  const isOfHolding = metric !== 'all' && needsCost(metric);
  return { metric: isOfHolding ? floor : metric, unit, ...defined({ minSources }) };
}

/**
 * Converts the thresholds of a condition to those of its index. `GREATEST` and `LEAST`, the ends of
 * the index, are unchanged.
 */
export function waitingInIndex(waiting: Waiting, { metric, holding }: Quantity): Waiting {
  const { held } = familyOf(metric);
  if (held === undefined || holding === undefined) return waiting;
  const place = (number: Decimal | undefined, side: 0 | 1) => {
    if (number === undefined || number === GREATEST || number === LEAST) return number;
    const price = held.pricesAt(number, holding)[side];
    return price > GREATEST ? GREATEST : price < LEAST ? LEAST : price;
  };
  // Use the bound that is reached first: an evaluation may then read a watch unnecessarily, but
  // never misses one.
  return defined({ falling: place(waiting.falling, 1), rising: place(waiting.rising, 0) });
}

/** The index of rules with several conditions, which wait for any observation. */
export const ALL: ThresholdIndexName = { metric: 'all', unit: '' };

/** The watches that a value reaches: a range of one threshold index. */
export type IndexRange = ThresholdIndexName & {
  readonly contract: ContractKey;
  readonly thresholdIndex: ThresholdIndex;
  /**
   * The range in `falling` has the watches with this threshold or a higher one; in `rising`, with
   * this one or a lower one.
   */
  readonly value: Decimal;
};

/** The position at which a page of a threshold index ended. */
export type ThresholdIndexPosition = { readonly sk: string; readonly position: string };

const DIGITS = 38;

/**
 * The sort key of a threshold. Within a metric and unit, the keys sort in the order of the numbers.
 * The sign comes first; the digits of negative numbers are complemented.
 */
export function thresholdIndexKey(name: ThresholdIndexName, value: Decimal): string {
  const text = value < 0n ? `0${digits(GREATEST + value)}` : `1${digits(value)}`;
  return `${thresholdIndexText(name)}#${text}`;
}

/** The name of a metric's threshold indexes as text: `floor_price.eth`, `floor_price.eth+2`. */
export function thresholdIndexText({ metric, unit, minSources }: ThresholdIndexName): string {
  return `${metric}.${unit}${minSources === undefined ? '' : `+${minSources}`}`;
}

function digits(value: Decimal): string {
  return value.toString().padStart(DIGITS, '0');
}
