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

/** Prices of one answer and, for a floor history, the position of its next page. */
export type PricePage = {
  readonly points: readonly PricePoint[];
  readonly next?: {
    readonly askedAt: Instant;
    readonly interval: FloorInterval;
    readonly cursor?: string;
  };
  /** Set if the provider could not report older prices. */
  readonly isCut?: true;
  /** Present statistics that came with a floor. */
  readonly statistics?: Statistics;
};

const INTERVALS: readonly FloorInterval[] = ['1d', '7d', '30d', '60d'];
/**
 * Maximum length of a floor's source. The source is stored in the contract's record, which is read
 * each minute.
 */
const SOURCE = 24;

/** Converts a page of floor history to points. */
export function floorPrices(
  { points, cursor, isCut, statistics }: FloorPage,
  interval: FloorInterval,
  askedAt: Instant,
): PricePage {
  const next = { askedAt, interval, ...defined({ cursor }) };
  // If two points have the same time, the later one in the page is a revision.
  const revised = new Map(points.map((point) => [point.time, point]));
  const prices = [...revised.values()].map(floorPrice);
  return { points: prices, next, ...defined({ isCut, statistics }) };
}

/** The shortest interval that includes the last point, so that one page has all new floors. */
export function intervalSince(last: Instant | undefined, now: Instant): FloorInterval {
  if (last === undefined) return '30d';
  const age = now - last + HOUR;
  if (age <= DAY) return '1d';
  return age <= 7 * DAY ? '7d' : '30d';
}

/**
 * The intervals of floor history that cover a window: the first has hourly floors as far back as
 * the provider has them; a second one, if needed, has daily floors. Each interval is longer than
 * the window, since the price before the window is needed, too.
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
