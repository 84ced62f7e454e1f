import type { Decimal } from '#shared/domain/market/decimal.ts';
import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { HOUR, type Instant } from '#shared/domain/market/instant.ts';
import type { Point, PricePoint } from '#shared/domain/market/point.ts';
import { LOOK_BACK_DAYS } from '#shared/domain/market/price-series.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import { SUSPECT_COUNTS_AFTER } from '#shared/domain/timeline/append-poll.ts';
import { newestReading } from '#shared/domain/timeline/timeline.ts';
import { type ContractRecord, newestOf, type SeriesRecord } from './contract-record.ts';

/** The newest floor according to one provider. */
export type Opinion = { readonly provider: Provider; readonly floor: PricePoint };

/** Result of comparing the floors of two providers of different origin. */
export type Verdict =
  /** Both providers confirm `floor`. */
  | { readonly kind: 'agreed'; readonly floor: PricePoint }
  /** The two floors cannot be compared, so the first one is used without a confirmation. */
  | { readonly kind: 'single' }
  /** One source is wrong, so the value is unknown. `reason` has both numbers. */
  | { readonly kind: 'disputed'; readonly reason: string };

/**
 * Maximum difference, in percent, of prices that are considered equal: prices of marketplaces
 * differ because of fees, and because they were read minutes apart.
 */
const NEAR_PERCENT = 2n;
/** A floor that is older than this cannot be compared with a present one. */
const STALE_AFTER = 2 * HOUR;
/**
 * A confirmation of an unchanged floor expires after this time, because a provider may be stuck at
 * an old floor.
 */
const CONFIRMED_FOR = HOUR;

/** Whether a floor needs a second opinion: it is new or disputed, or its confirmation is old. */
export function needsSecondOpinion(
  record: ContractRecord,
  floor: PricePoint,
  now: Instant,
): boolean {
  const { floor: known } = record.series;
  const newest = newestOf(record, 'floor');
  return known?.outcome === 'disputed' || stillConfirmedBy(known, newest, floor, now) === undefined;
}

/**
 * The provider whose confirmation is still valid for a floor: it is recent, and the floor has the
 * newest known price.
 */
export function stillConfirmedBy(
  known: SeriesRecord | undefined,
  before: Point | undefined,
  floor: PricePoint,
  now: Instant,
): Provider | undefined {
  if (before?.kind !== 'price' || known?.confirmed === undefined) return undefined;
  const isChanged = before.price !== floor.price || before.currency !== floor.currency;
  const { by, at } = known.confirmed;
  return isChanged || at <= now - CONFIRMED_FOR ? undefined : by;
}

/**
 * Compares the floors of two providers.
 *
 * - If both report nearly the same price, it is confirmed.
 * - If both prices moved the same way, the one that moved less is confirmed.
 * - Otherwise a sale since the last floor decides.
 * - Without a sale the floor is `disputed`, for a day at most. After that the floor of the first
 *   provider is used without a confirmation until the two agree.
 */
export function compareOpinions(
  record: ContractRecord,
  first: Opinion,
  second: Opinion,
  now: Instant,
): Verdict {
  const { floor } = first;
  const other = second.floor;
  const isComparable = floor.currency === other.currency && !isStale(floor) && !isStale(other);
  if (!isComparable) return { kind: 'single' };
  const known = record.series.floor;
  if (areNear(floor.price, other.price)) return agreed(floor);
  const before = newestReading(record.timeline).floor ?? newestOf(record, 'floor');
  if (before?.kind === 'price' && before.currency === floor.currency) {
    const isNearer = isBetween(before.price, floor.price, other.price);
    if (isNearer) return agreed(floor);
    // Use the time of the first provider's floor, so that its next floor is not older than the
    // confirmed one.
    const confirmed = { ...other, time: floor.time };
    if (isBetween(before.price, other.price, floor.price)) return agreed(confirmed);
    const sold = salesSince(record, before.time);
    const isSoldNear = ({ price }: PricePoint) => sold.some((sale) => areNear(price, sale));
    if (isSoldNear(floor)) return agreed(floor);
    if (isSoldNear(other)) return agreed(confirmed);
  }
  const isOld = now - (known?.disputedSince ?? now) >= SUSPECT_COUNTS_AFTER;
  return isOld ? { kind: 'single' } : { kind: 'disputed', reason: bothInWords(first, second) };

  /**
   * The verdict for a confirmed floor. If the newest known floor is later and only the second
   * provider reported it, the confirmed floor replaces it, because both providers now agree on
   * another price.
   */
  function agreed(point: PricePoint): Verdict {
    const newest = newestOf(record, 'floor');
    const isOfOther = newest?.kind === 'price' && newest.source === second.provider;
    const isTakenBack = isOfOther && newest.time > point.time && newest.price !== point.price;
    return { kind: 'agreed', floor: isTakenBack ? { ...point, time: newest.time } : point };
  }

  function isStale({ time }: PricePoint): boolean {
    return now - time > STALE_AFTER;
  }
}

function areNear(one: Decimal, other: Decimal): boolean {
  const [low, high] = one < other ? [one, other] : [other, one];
  return high * (100n - NEAR_PERCENT) <= low * 100n;
}

/** Whether a price is between `from` (excluded) and `to`. */
function isBetween(from: Decimal, price: Decimal, to: Decimal): boolean {
  return from < to ? from < price && price <= to : to <= price && price < from;
}

/** Prices of the lowest sales that are known to be later than a moment. */
function salesSince(record: ContractRecord, moment: Instant): readonly Decimal[] {
  return LOOK_BACK_DAYS.flatMap((days) => {
    const point = newestOf(record, `lowest.${days}d`);
    const isSince = point?.kind === 'price' && (point.tradedAt ?? point.time) > moment;
    return isSince && point.currency === 'eth' ? [point.price] : [];
  });
}

function bothInWords(...opinions: readonly Opinion[]): string {
  return opinions
    .map(({ provider, floor }) => {
      return `${provider} reports ${formatDecimal(floor.price)} ${floor.currency.toUpperCase()}`;
    })
    .join(', ');
}
