import { defined } from '#shared/domain/defined.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { type Decimal, GREATEST } from '#shared/domain/market/decimal.ts';
import type { Metric } from '#shared/domain/metrics/metric.ts';

/** The two indexes of a contract's watches: those that wait for a lower and for a higher number. */
export type ThresholdIndex = 'falling' | 'rising';

/** Where a watch waits in each threshold index; a number it does not wait for is absent. */
export type Waiting = Readonly<Partial<Record<ThresholdIndex, Decimal>>>;

/**
 * A pair of threshold indexes: of a metric in one unit, by floors of one source or of several; or
 * `all`, where rules with several conditions wait for any observation.
 */
export type ThresholdIndexName = {
  readonly metric: Metric | 'all';
  readonly unit: string;
  readonly minSources?: 2;
};

/** The name alone, of what has one. */
export function thresholdIndexNameOf({
  metric,
  unit,
  minSources,
}: ThresholdIndexName): ThresholdIndexName {
  return { metric, unit, ...defined({ minSources }) };
}

/** The index where rules with several conditions wait for any observation. */
export const ALL: ThresholdIndexName = { metric: 'all', unit: '' };

/**
 * Which watches a value meets: those on one threshold index, of one metric and unit, that wait up
 * to it.
 */
export type IndexRange = ThresholdIndexName & {
  readonly contract: ContractKey;
  readonly thresholdIndex: ThresholdIndex;
  /** On `falling`, watches that wait for this number or a greater one; on `rising`, or a lesser. */
  readonly value: Decimal;
};

/** Where a page of a threshold index ended. */
export type ThresholdIndexPosition = { readonly sk: string; readonly position: string };

const DIGITS = 38;

/**
 * The sort key of a number in a threshold index: text that sorts as the number does, within one
 * metric and unit. Sign first; the digits of a negative number are complemented.
 */
export function thresholdIndexKey(name: ThresholdIndexName, value: Decimal): string {
  const text = value < 0n ? `0${digits(GREATEST + value)}` : `1${digits(value)}`;
  return `${thresholdIndexText(name)}#${text}`;
}

/** The name of a metric's threshold indexes as one text: `floor_price.eth`, `floor_price.eth+2`. */
export function thresholdIndexText({ metric, unit, minSources }: ThresholdIndexName): string {
  return `${metric}.${unit}${minSources === undefined ? '' : `+${minSources}`}`;
}

function digits(value: Decimal): string {
  return value.toString().padStart(DIGITS, '0');
}
