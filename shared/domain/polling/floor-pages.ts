import { defined } from '#shared/domain/defined.ts';
import { DAY, HOUR, type Instant } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type {
  FloorInterval,
  FloorPage,
  FloorPoint,
  Statistics,
} from '#shared/domain/market/upstream.ts';
import { shortened } from '#shared/domain/words.ts';

/** Prices that one answer reported; of floor history, where it goes on. */
export type PricePage = {
  readonly points: readonly PricePoint[];
  readonly next?: {
    readonly askedAt: Instant;
    readonly interval: FloorInterval;
    readonly cursor?: string;
  };
  /** The provider could not report what lies before. */
  readonly isCut?: true;
  /** Values of now that came with a floor. */
  readonly statistics?: Statistics;
};

const INTERVALS: readonly FloorInterval[] = ['1d', '7d', '30d', '60d'];
/** Characters of a floor's source: it is kept with the contract, which is read each minute. */
const SOURCE = 24;

/** A page of floor history as points, and where it goes on. */
export function floorPrices(
  { points, cursor, isCut, statistics }: FloorPage,
  interval: FloorInterval,
  askedAt: Instant,
): PricePage {
  const next = { askedAt, interval, ...defined({ cursor }) };
  // Of one time the later line counts: it has revised the other.
  const revised = new Map(points.map((point) => [point.time, point]));
  const prices = [...revised.values()].map(floorPrice);
  return { points: prices, next, ...defined({ isCut, statistics }) };
}

/** The shortest interval that reaches back to the last point, so that one page holds what is new. */
export function intervalSince(last: Instant | undefined, now: Instant): FloorInterval {
  if (last === undefined) return '30d';
  const age = now - last + HOUR;
  if (age <= DAY) return '1d';
  return age <= 7 * DAY ? '7d' : '30d';
}

/**
 * The intervals of floor history that reach as far back as a window: hours as far as there are
 * hours, then days. Each reaches further than the window, since a price before it is needed.
 */
export function intervalsFor(window: number): readonly [FloorInterval, ...FloorInterval[]] {
  if (window <= 6 * HOUR) return ['1d'];
  if (window <= DAY) return ['7d'];
  return window <= 7 * DAY ? ['30d'] : ['30d', '60d'];
}

/** The longer of two intervals. */
export function longer(left: FloorInterval, right: FloorInterval): FloorInterval {
  return INTERVALS.indexOf(left) > INTERVALS.indexOf(right) ? left : right;
}

function floorPrice({ marketplaces, ...point }: FloorPoint): PricePoint {
  const source = shortened(marketplaces.join(', '), SOURCE);
  return { kind: 'price', ...point, ...(source === '' ? {} : { source }) };
}
