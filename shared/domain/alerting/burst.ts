import { decimalOf, percentMoved, valueInWords } from '#shared/domain/metrics/value-text.ts';
import { type Alert, watchOf } from './alert.ts';
import { collectionName, isPriced } from './alert-words.ts';
import type { TitlePart } from './title-parts.ts';

/**
 * Many contracts of one list that are past their thresholds at the same time, as in a market crash.
 */
export type Burst = {
  /** The number of contracts. */
  readonly contracts: number;
  readonly side: 'below' | 'above' | 'past';
  /** The contracts furthest past their thresholds, each with its value in words. */
  readonly worst: readonly (readonly TitlePart[])[];
  /**
   * Alerts whose values are past their thresholds, the furthest first, then the other alerts in
   * their original order.
   */
  readonly sorted: readonly Alert[];
};

/** Minimum number of contracts that make a burst. */
const LEAST = 3;
const NAMED = 3;

/**
 * The contracts past their thresholds after the given alerts, which must be sorted oldest first.
 * Undefined if there are too few contracts, or if the alerts belong to several lists.
 */
export function burstOf(alerts: readonly Alert[]): Burst | undefined {
  const [first] = alerts;
  const isOfOneList = alerts.every(({ watchlist }) => watchlist === first?.watchlist);
  const newest = new Map(alerts.map((alert) => [watchOf(alert), alert]));
  const past = [...newest.values()]
    .filter((alert) => alert.open !== false && shareOf(alert) !== undefined)
    .toSorted((one, other) => compare(shareOf(other), shareOf(one)));
  const contracts = past.map(({ contract }) => contract);
  const worst = past.filter(({ contract }, index) => contracts.indexOf(contract) === index);
  if (!isOfOneList || worst.length < LEAST) return undefined;
  const sides = new Set(
    past.map(({ when }) => (when === 'below' || when === 'above' ? when : 'past')),
  );
  const [side = 'past'] = sides.size === 1 ? sides : [];
  return {
    contracts: worst.length,
    side,
    worst: worst.slice(0, NAMED).map(inShort),
    sorted: [...past, ...alerts.filter((alert) => !past.includes(alert))],
  };
}

function compare(one = 0n, other = 0n): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** A collection with its value and its change: `Punks 40.1 ETH (−31.2%)`. */
function inShort(alert: Alert): readonly TitlePart[] {
  const { metric, value, threshold, unit, previous } = alert;
  const called = collectionName(alert);
  if (metric === null || value === null || unit === null) return [called];
  const before = previous === null || !isPriced(metric, unit) ? 0n : decimalOf(previous);
  const moved = before > 0n ? ` (${percentMoved(decimalOf(value), before)})` : '';
  return [called, ` ${valueInWords(metric, value, unit, [threshold])}${moved}`];
}

const MILLIONTHS = 1_000_000n;

/**
 * How far a value is past its threshold, in millionths of the threshold; undefined without a price.
 */
function shareOf({ value, threshold, unit }: Alert): bigint | undefined {
  if (value === null || threshold === null || unit === null || unit === 'minutes') return undefined;
  const [is, line] = [decimalOf(value), decimalOf(threshold)];
  const far = is > line ? is - line : line - is;
  const whole = unit === '%' ? decimalOf('100') : line;
  return whole > 0n ? (far * MILLIONTHS) / whole : undefined;
}
