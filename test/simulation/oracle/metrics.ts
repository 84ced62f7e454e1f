import type { Instant, Point, PricePoint, PriceSeriesName, Reading } from './points.ts';
import type { Held, OracleClause, OracleRule, PriceFamily } from './rule.ts';
import { isClockFamily, seriesNames } from './rule.ts';

/** Reason for an unknown value; `no_sale` is a known state. */
type Reason = 'no_sale' | 'no_offer' | 'no_price' | 'other_currency' | 'disputed' | 'alone';

export type Value = bigint | Reason;

/** The prices that a rule reads at a step. */
export type Prices = {
  /** Latest point of the rule's floor series. */
  readonly floor: Point | undefined;
  readonly reading: Reading;
  /** Recorded floors of that series up to the step, in the order of time. */
  readonly floors: readonly PricePoint[];
  /** Time from which the recorded floors have no gap; undefined if they never had one. */
  readonly completeSince: Instant | undefined;
  readonly windowEnd: Instant;
};

type Formula = (clause: OracleClause, prices: Prices) => Value;

const FORMULAS: Readonly<Record<PriceFamily, Formula>> = {
  floor_price: floorPrice,
  floor_price_usd: floorPrice,
  lowest_price: (clause, prices) => lowestSale(clause, prices, leastSale(clause, 'no_price')),
  sale_discount_pct: saleDiscount,
  floor_change_pct: floorChange,
  floor_drop_pct: (clause, prices) =>
    sinceWindowStart(clause, prices, (now, start) => percent(start - now, start)),
  floor_drawdown_pct: (clause, prices) =>
    withinWindow(clause, prices, (now, held) => {
      const highest = held.reduce((high, price) => (price > high ? price : high));
      return percent(highest - now, highest);
    }),
  floor_runup_pct: (clause, prices) =>
    withinWindow(clause, prices, (now, held) => {
      const lowest = held.reduce((low, price) => (price < low ? price : low));
      return percent(now - lowest, lowest);
    }),
  floor_vs_average_pct: deviationFromAverage,
  volume: latestValue,
  sales: latestValue,
  owners: latestValue,
  average_price: averagePrice,
  best_offer: bestOffer,
  spread_pct: spread,
  floor_ratio: floorPrice,
  relative_change_pct: floorChange,
  list_value: floorPrice,
  list_change_pct: floorChange,
  gain_pct: (clause, prices) => gainOf(clause, prices, (more, { cost }) => percent(more, cost)),
  gain: (clause, prices) => gainOf(clause, prices, (more, { amount }) => more * amount),
};

/** The value of a clause's metric, or the reason why it has none. */
export function measure(clause: OracleClause, prices: Prices): Value {
  const { family } = clause;
  return isClockFamily(family) ? 'no_price' : FORMULAS[family](clause, prices);
}

/** The price of a point in a unit, or the reason for its absence, such as another currency. */
function priceIn(unit: string, point: Point | undefined): Value {
  if (point === undefined) return 'no_price';
  if (point.kind === 'empty') return 'no_sale';
  if (point.isWithheld) return 'alone';
  if (unit === 'usd') return point.usd ?? 'no_price';
  return point.currency === unit ? point.price : 'other_currency';
}

/** Whether a step changes a price that a clause reads. */
export function hasMoved(
  rule: OracleRule,
  clause: OracleClause,
  before: Reading,
  points: Reading,
): boolean {
  return seriesNames(rule, clause).some((name) => {
    const point = points[name];
    if (point === undefined) return false;
    return priceIn(clause.unit, point) !== priceIn(clause.unit, before[name]);
  });
}

function floorChange(clause: OracleClause, prices: Prices): Value {
  return sinceWindowStart(clause, prices, (now, start) => percent(now - start, start));
}

function floorPrice({ unit }: OracleClause, { floor }: Prices): Value {
  return priceIn(unit, floor);
}

/** The latest value of the clause's only series. */
function latestValue({ unit, series: [series] }: OracleClause, { reading }: Prices): Value {
  return priceIn(unit, valueIn(reading, series));
}

/** The average volume of a sale, or `no_price` without sales. */
function averagePrice({ unit, series: [volume, count] }: OracleClause, { reading }: Prices): Value {
  const traded = priceIn(unit, valueIn(reading, volume));
  const sold = priceIn('sales', valueIn(reading, count));
  if (typeof traded !== 'bigint') return traded;
  if (typeof sold !== 'bigint') return sold;
  return sold === 0n ? 'no_price' : (traded * 10n ** 18n) / sold;
}

/**
 * Without an offer the value is unknown. A missing offer ends no episode, unlike an empty sales
 * window.
 */
function bestOffer(clause: OracleClause, { reading }: Prices): Value {
  const { offer } = reading;
  return offer?.kind === 'empty' ? 'no_offer' : priceIn(clause.unit, offer);
}

/** The percentage of the floor that a seller loses by accepting the best offer. */
function spread(clause: OracleClause, prices: Prices): Value {
  const [floor, offer] = [floorPrice(clause, prices), bestOffer(clause, prices)];
  if (typeof floor !== 'bigint') return floor;
  return typeof offer === 'bigint' ? percent(floor - offer, floor) : offer;
}

/** The gain of a token: its floor minus its cost, in the currency of the cost. */
function gainOf(
  clause: OracleClause,
  prices: Prices,
  of: (more: bigint, held: Held) => bigint,
): Value {
  const { held } = clause;
  const floor = floorPrice(clause, prices);
  if (held === undefined) return 'no_price';
  return typeof floor === 'bigint' ? of(floor - held.cost, held) : floor;
}

function valueIn(reading: Reading, series: PriceSeriesName | undefined): Point | undefined {
  return series === undefined || series === 'floor' ? undefined : reading[series];
}

/** A sale below `least` (dust, a gift, a mistake) hides higher sales, so the value is unknown. */
function lowestSale({ unit, series }: OracleClause, { reading }: Prices, least: bigint): Value {
  const one = series.find((name) => name !== 'floor');
  const sale = priceIn(unit, one === undefined ? undefined : reading[one]);
  return typeof sale === 'bigint' && sale < least ? 'disputed' : sale;
}

/** An empty sales window takes precedence over an unknown floor, because it is a known state. */
function saleDiscount(clause: OracleClause, prices: Prices): Value {
  const floor = floorPrice(clause, prices);
  const sale = lowestSale(clause, prices, leastSale(clause, floor));
  if (typeof sale !== 'bigint') return sale;
  return typeof floor === 'bigint' ? percent(floor - sale, floor) : floor;
}

function leastSale({ ignoreBelow }: OracleClause, floor: Value): bigint {
  if (typeof ignoreBelow === 'bigint') return ignoreBelow;
  return typeof floor === 'bigint' ? floor / 100n : 0n;
}

/** A change needs the price at the start of the window. */
function sinceWindowStart(
  clause: OracleClause,
  prices: Prices,
  change: (now: bigint, start: bigint) => bigint,
): Value {
  const now = floorPrice(clause, prices);
  if (typeof now !== 'bigint') return now;
  const start = priceAtStart(clause, prices);
  return typeof start === 'bigint' ? change(now, start) : 'no_price';
}

/** An extreme uses the recorded prices, and the price at the window's start if it is known. */
function withinWindow(
  clause: OracleClause,
  prices: Prices,
  compare: (now: bigint, held: readonly bigint[]) => bigint,
): Value {
  const now = floorPrice(clause, prices);
  if (typeof now !== 'bigint') return now;
  const { floors, windowEnd } = prices;
  const inWindow = floors
    .filter(({ time }) => time > windowEnd - clause.window && time <= windowEnd)
    .map((point) => priceIn(clause.unit, point));
  const held = [priceAtStart(clause, prices), ...inWindow].filter(
    (price) => typeof price === 'bigint',
  );
  return held.length === 0 ? 'no_price' : compare(now, held);
}

/** The price at the start of the window. A price before a gap may have changed during the gap. */
function priceAtStart({ unit, window }: OracleClause, prices: Prices): Value {
  const { floors, completeSince = Number.NEGATIVE_INFINITY, windowEnd } = prices;
  const first = floors.findLastIndex(({ time }) => time <= windowEnd - window);
  const [start, next] = [floors[first], floors[first + 1]];
  const isCutOff =
    start !== undefined &&
    next !== undefined &&
    start.time < completeSince &&
    next.time >= completeSince;
  return isCutOff ? 'no_price' : priceIn(unit, start);
}

/**
 * Reads the floors from the end of the window back to its start. Each floor is weighted with its
 * duration in milliseconds. If a single millisecond has no price, the average is unknown.
 */
function deviationFromAverage(clause: OracleClause, prices: Prices): Value {
  const now = floorPrice(clause, prices);
  if (typeof now !== 'bigint') return now;
  const { floors, completeSince = Number.NEGATIVE_INFINITY, windowEnd } = prices;
  const begin = windowEnd - clause.window;
  let total = 0n;
  let until = windowEnd;
  for (const floor of floors.toReversed()) {
    if (until <= begin) break;
    const from = Math.max(floor.time, begin);
    if (from >= until) continue;
    // The floor may have changed in the gap before the next floor.
    const isCutOff = floor.time < completeSince && completeSince <= until;
    const price = priceIn(clause.unit, floor);
    if (typeof price !== 'bigint') return price;
    if (isCutOff && hasFloorAt(floors, until)) return 'no_price';
    total += price * BigInt(until - from);
    until = from;
  }
  if (until > begin) return 'no_price';
  return percent(now * BigInt(clause.window) - total, total);
}

function hasFloorAt(floors: readonly PricePoint[], instant: Instant): boolean {
  return floors.some(({ time }) => time === instant);
}

/** Truncates toward zero, to 18 fraction digits. */
function percent(series: bigint, whole: bigint): bigint {
  return (series * 100n * 10n ** 18n) / whole;
}
