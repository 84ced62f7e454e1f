import * as z from 'zod';
import { defined } from '#shared/domain/defined.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { PriceSeriesName } from '#shared/domain/market/price-series.ts';
import { Provider } from '#shared/domain/market/provider.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { inGroups } from '#shared/use-cases/in-groups.ts';
import type { Held, RecordedSince } from '#shared/use-cases/read-snapshot.ts';
import type { BulkTable } from './bulk-table.ts';
import { readItem } from './read-item.ts';
import { type Item, queryAll, type Range, type Table } from './table.ts';

/**
 * The price history of contracts. Every point is kept for 35 days, and the last point of each UTC
 * day forever.
 */
export type HistoryStore = {
  /** Idempotent. The points of a day must be recorded together or in order of time. */
  readonly record: (
    contract: ContractKey,
    series: PriceSeriesName,
    points: readonly PricePoint[],
  ) => Promise<void>;
  /** Records past floors. A floor that is already recorded with the same price keeps its status. */
  readonly fill: (contract: ContractKey, floors: readonly PricePoint[]) => Promise<void>;
  /** The points since an instant, oldest first. */
  readonly since: RecordedSince;
  /** The last points at or before an instant, oldest first. */
  readonly valueAt: (
    contract: ContractKey,
    series: PriceSeriesName,
    instant: Instant,
  ) => Promise<readonly PricePoint[]>;
  /**
   * The points between two instants, both inclusive, oldest first, preceded by the last point
   * before them.
   */
  readonly between: (
    contract: ContractKey,
    series: PriceSeriesName,
    from: Instant,
    to: Instant,
  ) => Promise<readonly PricePoint[]>;
  /**
   * The points between two instants, both inclusive, newest first: every point, or only the last
   * point of each UTC day.
   */
  readonly newest: (
    contract: ContractKey,
    series: PriceSeriesName,
    span: HistorySpan,
  ) => Promise<readonly PricePoint[]>;
};

type HistorySpan = {
  readonly from: Instant;
  readonly to: Instant;
  readonly each: 'point' | 'day';
  readonly limit: number;
};

export type FloorArchive = {
  /**
   * Idempotent. For days before the retention of points, only the last floor of a day is stored. A
   * floor never replaces a later floor of the same day. Returns the number of new or different
   * floors.
   */
  readonly putFloors: (floors: readonly ContractFloor[], now: Instant) => Promise<number>;
};

export type ContractFloor = { readonly contract: ContractKey; readonly point: PricePoint };

const KEPT_DAYS = 35;
/**
 * Number of floors to read before the first floor of a span. Whether a floor is an outlier depends
 * on the floor before it, whose own status depends on an earlier floor in the same way. Two
 * consecutive floors that are close to each other end this chain. Eight floors almost always
 * contain such a pair, and cost one read unit.
 */
const READ_BEFORE = 8;
/**
 * Page size of further reads for the last floor that two sources reported, which may be much older.
 */
const READ_FURTHER = 100;
const WRITES_AT_ONCE = 25;
/**
 * The length and the number of the parts of a span that are read concurrently. The oldest part may
 * be longer.
 */
const READ_TOGETHER = 7 * DAY;
const SPANS_READ = 6;

export function createHistoryStore(table: Table): HistoryStore {
  const record: HistoryStore['record'] = async (contract, series, points) => {
    const items = [...hoursOf(contract, series, points), ...daysOf(contract, series, points)];
    await inGroups(items, WRITES_AT_ONCE, (item) => putPoint(table, item));
  };
  return {
    record,

    fill: async (contract, floors) => {
      if (floors.length === 0) return;
      const times = floors.map(({ time }) => time);
      const [from, to] = [Math.min(...times), Math.max(...times)].map(
        (time) => `floor#H#${formatInstant(time)}`,
      ) as [string, string];
      const items = await queryAll(table, `HISTORY#${contract}`, { from, to });
      const known = new Map(items.map((item) => [item.time, item]));
      const kept = floors.flatMap((floor) => {
        const before = known.get(formatInstant(floor.time));
        return isDenied(floor, before) ? [] : [asObserved(floor, before)];
      });
      await record(contract, 'floor', kept);
    },

    since: async (contract, series, instant, { held, until } = {}) => {
      const pk = `HISTORY#${contract}`;
      const after = {
        from: `${hourKey(series, instant)}#`,
        to: `${series}#H#${until === undefined ? '\uffff' : formatInstant(until)}`,
      };
      const [before, items] = await Promise.all([
        valueAt(contract, series, instant, held),
        queryAll(table, pk, after),
      ]);
      return [...before, ...items.map(fromItem)];
    },

    valueAt,

    between: async (contract, series, from, to) => {
      if (from > to) return [];
      const pk = `HISTORY#${contract}`;
      const read = [
        { from: dayKey(series, from), to: dayKey(series, to) },
        ...spansOf(from, to).map(([start, end]) => ({
          from: hourKey(series, start),
          to: hourKey(series, end),
        })),
      ].map((range) => queryAll(table, pk, range));
      const [held, ...items] = await Promise.all([valueAt(contract, series, from - 1), ...read]);
      const points = items.flat().map(fromItem);
      const recorded = new Map(points.map((point) => [point.time, point]));
      const within = [...recorded.values()].filter(({ time }) => time >= from && time <= to);
      return [...held.slice(-1), ...within.toSorted((a, b) => a.time - b.time)];
    },

    newest: async (contract, series, { from, to, each, limit }) => {
      if (from > to) return [];
      const pk = `HISTORY#${contract}`;
      const newestIn = (range: Range, most: number) =>
        table.query({ pk, range, descending: true, limit: most });
      const [days, hours] = await Promise.all([
        // Read one point more, because the last point of the final day may be later than `to`.
        newestIn({ from: dayKey(series, from), to: dayKey(series, to) }, limit + 1),
        each === 'point'
          ? newestIn({ from: hourKey(series, from), to: hourKey(series, to) }, limit)
          : { entries: [] },
      ]);
      const points = [...days.entries, ...hours.entries].map(fromItem);
      const recorded = new Map(points.map((point) => [point.time, point]));
      return [...recorded.values()]
        .filter(({ time }) => time >= from && time <= to)
        .toSorted((a, b) => b.time - a.time)
        .slice(0, limit);
    },
  };

  async function valueAt(
    contract: ContractKey,
    series: PriceSeriesName,
    instant: Instant,
    held: Held = 'reported',
  ): Promise<readonly PricePoint[]> {
    const pk = `HISTORY#${contract}`;
    const range = { from: `${series}#H#`, to: hourKey(series, instant) };
    const found: Item[] = [];
    const isFound = () =>
      held === 'reported' || found.some(({ confirmedBy }) => confirmedBy !== undefined);
    let after: string | undefined;
    do {
      const limit = after === undefined ? READ_BEFORE : READ_FURTHER;
      const page = await table.query({ pk, range, descending: true, limit, after });
      found.push(...page.entries);
      after = page.next;
    } while (after !== undefined && !isFound());
    const items = found.length > 0 ? found.toReversed() : await heldByDay(pk, series, instant);
    return items.map(fromItem);
  }

  /**
   * Reads the last price from the daily points, because older points within a day may have expired.
   */
  async function heldByDay(
    pk: string,
    series: PriceSeriesName,
    instant: Instant,
  ): Promise<readonly Item[]> {
    const range = { from: `${series}#D#`, to: dayKey(series, instant) };
    const { entries } = await table.query({ pk, range, descending: true, limit: 2 });
    return entries.filter((item) => fromItem(item).time <= instant).slice(0, 1);
  }
}

export function createFloorArchive(table: BulkTable): FloorArchive {
  return {
    putFloors: async (floors, now) => {
      const recorded = Map.groupBy(floors, ({ contract }) => contract);
      const items = [...recorded].flatMap(([contract, ofContract]) => {
        const points = ofContract.map(({ point }) => point);
        const hours = hoursOf(contract, 'floor', points);
        return [
          ...hours.filter(({ ttl }) => ttl * 1000 > now),
          ...daysOf(contract, 'floor', points),
        ];
      });
      const known = await table.getAll(items);
      const before = new Map(known.map((item) => [`${item.pk} ${item.sk}`, fromItem(item)]));
      const changed = items.filter((item) => {
        const point = before.get(`${item.pk} ${item.sk}`);
        return (
          point === undefined ||
          (item.time >= formatInstant(point.time) && !isReported(item, point))
        );
      });
      await table.putAll(changed);
      return new Set(changed.map(({ pk, time }) => `${pk} ${time}`)).size;
    },
  };
}

/**
 * Whether rules have already evaluated a different price of another source for this time. That
 * price is not overwritten.
 */
function isDenied(point: PricePoint, known: Item | undefined): boolean {
  return known?.observedAs !== undefined && known.source !== point.source && !isSame(point, known);
}

/**
 * Writes a price. A suspect floor replaces neither an accepted floor of the same time nor a later
 * price of its day, because a stalled worker may write the suspect floor late.
 */
async function putPoint(table: Table, item: Item): Promise<void> {
  if (item.observedAs !== 'suspect') return await table.put(item);
  try {
    await table.put(item, 0);
  } catch (error) {
    if (!(error instanceof VersionConflictError)) throw error;
    const [known] = await queryAll(table, item.pk, { from: item.sk, to: item.sk });
    const [ofKnown, ofItem] = [String(known?.time), String(item.time)];
    const counts = known?.observedAs === 'price' && ofKnown === ofItem;
    if (known === undefined || !(counts || ofKnown > ofItem)) await table.put(item);
  }
}

/** A repeated report of the same price keeps the status of the first report. */
function asObserved(point: PricePoint, known: Item | undefined): PricePoint {
  return isSame(point, known) ? { ...point, ...defined(AsObserved.parse(known)) } : point;
}

function isSame({ price, currency }: PricePoint, known: Item | undefined): boolean {
  return known?.price === price.toString() && known.currency === currency;
}

function isReported(
  item: Item,
  { observedAs: _observed, confirmedBy: _by, ...point }: PricePoint,
): boolean {
  return JSON.stringify(toItem(fromItem(item))) === JSON.stringify(toItem(point));
}

/**
 * If several points have the same time, the last one is kept, because it is the vendor's revision.
 */
function hoursOf(contract: ContractKey, series: PriceSeriesName, points: readonly PricePoint[]) {
  const revised = new Map(ordered(points).map((point) => [point.time, point]));
  return [...revised.values()].map((point) => ({
    ...toItem(point),
    pk: `HISTORY#${contract}`,
    sk: `${series}#H#${formatInstant(point.time)}`,
    ttl: Math.floor((point.time + KEPT_DAYS * DAY) / 1000),
  }));
}

function daysOf(contract: ContractKey, series: PriceSeriesName, points: readonly PricePoint[]) {
  const days = new Map(ordered(points).map((point) => [dayKey(series, point.time), point]));
  return [...days].map(([sk, point]) => ({ ...toItem(point), pk: `HISTORY#${contract}`, sk }));
}

function ordered(points: readonly PricePoint[]): readonly PricePoint[] {
  return points.toSorted((a, b) => a.time - b.time);
}

/**
 * Splits a long span into parts that are read concurrently, because DynamoDB returns one megabyte
 * at a time.
 */
function spansOf(from: Instant, to: Instant): readonly (readonly [Instant, Instant])[] {
  const spans = Array.from({ length: SPANS_READ }, (_, index) => {
    const end = to - index * READ_TOGETHER;
    const isLast = index === SPANS_READ - 1;
    return [isLast ? from : Math.max(from, end - READ_TOGETHER + 1), end] as const;
  });
  return spans.filter(([start, end]) => start <= end);
}

function hourKey(series: PriceSeriesName, instant: Instant): string {
  return `${series}#H#${formatInstant(instant)}`;
}

function dayKey(series: PriceSeriesName, instant: Instant): string {
  return `${series}#D#${formatInstant(instant).slice(0, 10)}`;
}

function toItem(point: PricePoint) {
  return {
    time: formatInstant(point.time),
    price: point.price.toString(),
    currency: point.currency,
    usd: point.usd?.toString(),
    source: point.source,
    marketplaces: point.marketplaces,
    tradedAt: point.tradedAt === undefined ? undefined : formatInstant(point.tradedAt),
    observedAs: point.observedAs,
    confirmedBy: point.confirmedBy,
  };
}

const Money = z.lazy(() => z.string().regex(/^\d+$/).transform(BigInt));
const Moment = z.lazy(() => z.iso.datetime().transform((text) => Date.parse(text)));

/** The status that a floor got when it was observed. */
const AsObserved = z.object({
  observedAs: z.enum(['price', 'suspect']).optional(),
  confirmedBy: Provider.optional(),
});

export const HistoryItem = z.lazy(() =>
  z.object({
    time: Moment,
    price: Money,
    currency: z.string(),
    usd: Money.optional(),
    source: z.string().optional(),
    marketplaces: z.array(z.object({ name: z.string(), logo: z.string() })).optional(),
    tradedAt: Moment.optional(),
    ...AsObserved.shape,
  }),
);

function fromItem(item: Item): PricePoint {
  return { kind: 'price', ...defined(readItem('price', HistoryItem, item)) };
}
