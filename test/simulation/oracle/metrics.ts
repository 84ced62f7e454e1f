import type { Instant, Part, Point, PricePoint, Reading } from './points.ts';
import type { OracleClause, OracleRule, PriceFamily } from './rule.ts';
import { isClockFamily, seriesNames } from './rule.ts';

/** Reason for an unknown value; `no_sale` is a known state. */
type Reason = 'no_sale' | 'no_offer' | 'no_price' | 'other_currency' | 'disputed' | 'alone';

export type Value = bigint | Reason;

/** Prices as one rule reads them at one step. */
export type Prices = {
  /** Latest point of the rule's floor series. */
  readonly floor: Point | undefined;
  readonly reading: Reading;
  /** Recorded floors of that series up to the step, in the order of time. */
  readonly floors: readonly PricePoint[];
  /** Since when no floor is missing; undefined if none ever was. */
  readonly completeSince: Instant | undefined;
  readonly windowEnd: Instant;
};

type Formula = (clause: OracleClause, prices: Prices) => Value;

const FORMULAS: Readonly<Record<PriceFamily, Formula>> = {
  floor_price: floorPrice,
  floor_price_usd: floorPrice,
  lowest_price: (clause, prices) => lowestSale(clause, prices, leastSale(clause, 'no_price')),
  sale_discount_pct: saleDiscount,
  floor_change_pct: (clause, prices) =>
    sinceWindowStart(clause, prices, (now, start) => percent(now - start, start)),
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
  volume: latestValue,
  sales: latestValue,
  owners: latestValue,
  average_price: averagePrice,
  best_offer: bestOffer,
  spread_pct: spread,
};

/** The value of a clause's metric, or the reason why it has none. */
export function measure(clause: OracleClause, prices: Prices): Value {
  const { family } = clause;
  return isClockFamily(family) ? 'no_price' : FORMULAS[family](clause, prices);
}

/** A point as a price in a unit; another currency is a reason, never a price. */
function priceIn(unit: string, point: Point | undefined): Value {
  if (point === undefined) return 'no_price';
  if (point.kind === 'empty') return 'no_sale';
  if (point.isWithheld) return 'alone';
  if (unit === 'usd') return point.usd ?? 'no_price';
  return point.currency === unit ? point.price : 'other_currency';
}

/** Whether a step brings a clause another price than the reading before it had. */
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

function floorPrice({ unit }: OracleClause, { floor }: Prices): Value {
  return priceIn(unit, floor);
}

/** The latest value of the clause's only series. */
function latestValue({ unit, parts: [part] }: OracleClause, { reading }: Prices): Value {
  return priceIn(unit, valueIn(reading, part));
}

/** The volume of one sale; without a sale there is none. */
function averagePrice({ unit, parts: [volume, count] }: OracleClause, { reading }: Prices): Value {
  const traded = priceIn(unit, valueIn(reading, volume));
  const sold = priceIn('sales', valueIn(reading, count));
  if (typeof traded !== 'bigint') return traded;
  if (typeof sold !== 'bigint') return sold;
  return sold === 0n ? 'no_price' : (traded * 10n ** 18n) / sold;
}

/** Nobody offers: that is no price, and unlike a missing sale it decides nothing. */
function bestOffer(clause: OracleClause, { reading }: Prices): Value {
  const { offer } = reading;
  return offer?.kind === 'empty' ? 'no_offer' : priceIn(clause.unit, offer);
}

/** Part of the floor that a seller gives up who takes the best offer instead. */
function spread(clause: OracleClause, prices: Prices): Value {
  const [floor, offer] = [floorPrice(clause, prices), bestOffer(clause, prices)];
  if (typeof floor !== 'bigint') return floor;
  return typeof offer === 'bigint' ? percent(floor - offer, floor) : offer;
}

function valueIn(reading: Reading, part: Part | undefined): Point | undefined {
  return part === undefined || part === 'floor' ? undefined : reading[part];
}

/** Dust, gifts and mistakes hide the sales above them, so the lowest sale is unknown. */
function lowestSale({ unit, parts }: OracleClause, { reading }: Prices, least: bigint): Value {
  const part = parts.find((name) => name !== 'floor');
  const sale = priceIn(unit, part === undefined ? undefined : reading[part]);
  return typeof sale === 'bigint' && sale < least ? 'disputed' : sale;
}

/** An empty sales window outranks an unknown floor, because it is a known state. */
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

/** A change needs the price that held when the window began. */
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

/** The price before a gap may have ended anywhere in the gap. */
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

/** Cut toward zero at the 18th decimal. */
function percent(part: bigint, whole: bigint): bigint {
  return (part * 100n * 10n ** 18n) / whole;
}
