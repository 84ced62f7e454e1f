import * as z from 'zod';
import { defined } from '#shared/domain/defined.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import type { Part } from '#shared/domain/market/price-series.ts';
import { Provider } from '#shared/domain/market/provider.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import type { Held, RecordedSince } from '#shared/use-cases/read-snapshot.ts';
import { waitForAll } from '#shared/use-cases/wait-for-all.ts';
import type { BulkTable } from './bulk-table.ts';
import { readItem } from './read-item.ts';
import { type Item, queryAll, type Range, type Table } from './table.ts';

/** The recorded past of a contract: each point for 35 days, the last of each UTC day for ever. */
export type HistoryStore = {
  /** Idempotent. The points of a day are recorded together or in order of time. */
  readonly record: (
    contract: ContractKey,
    part: Part,
    points: readonly PricePoint[],
  ) => Promise<void>;
  /** Records past floors. A floor that is already recorded keeps its other members. */
  readonly fill: (contract: ContractKey, floors: readonly PricePoint[]) => Promise<void>;
  /** Oldest first. */
  readonly since: RecordedSince;
  /** The last points at or before an instant, oldest first. */
  readonly heldAt: (
    contract: ContractKey,
    part: Part,
    instant: Instant,
  ) => Promise<readonly PricePoint[]>;
  /** All that is kept between two moments, both included, oldest first, after what held before. */
  readonly between: (
    contract: ContractKey,
    part: Part,
    from: Instant,
    to: Instant,
  ) => Promise<readonly PricePoint[]>;
  /** Points between two moments, both included, newest first: all, or the last of each UTC day. */
  readonly newest: (
    contract: ContractKey,
    part: Part,
    span: HistorySpan,
  ) => Promise<readonly PricePoint[]>;
};

type HistorySpan = {
  readonly from: Instant;
  readonly to: Instant;
  readonly each: 'point' | 'day';
  /** The most that are wanted. */
  readonly limit: number;
};

export type FloorArchive = {
  /**
   * Idempotent. An hour that would be gone at once is not kept, and a day's point not replaced by
   * an earlier one. Reports how many floors something was kept that was not there, or otherwise.
   */
  readonly putFloors: (floors: readonly ContractFloor[], now: Instant) => Promise<number>;
};

export type ContractFloor = { readonly contract: ContractKey; readonly point: PricePoint };

const KEPT_DAYS = 35;
/**
 * Whether a floor is an outlier depends on the one before it, and so on back to two neighbours that
 * are near to each other: there are two among so many, which are read for the price of one.
 */
const READ_BEFORE = 8;
/** The last floor that two sources report may be much older. */
const READ_FURTHER = 100;
const WRITES_AT_ONCE = 25;
/** So long a part of a span is read at once, and so many parts side by side, the last one longer. */
const READ_TOGETHER = 7 * DAY;
const SPANS_READ = 6;

export function createHistoryStore(table: Table): HistoryStore {
  const record: HistoryStore['record'] = async (contract, part, points) => {
    const items = [...hoursOf(contract, part, points), ...daysOf(contract, part, points)];
    for (let start = 0; start < items.length; start += WRITES_AT_ONCE) {
      const together = items.slice(start, start + WRITES_AT_ONCE);
      await waitForAll(together.map((item) => putPoint(table, item)));
    }
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

    since: async (contract, part, instant, { held, until } = {}) => {
      const pk = `HISTORY#${contract}`;
      const after = {
        from: `${hourKey(part, instant)}#`,
        to: `${part}#H#${until === undefined ? '\uffff' : formatInstant(until)}`,
      };
      const [before, items] = await Promise.all([
        heldAt(contract, part, instant, held),
        queryAll(table, pk, after),
      ]);
      return [...before, ...items.map(fromItem)];
    },

    heldAt,

    between: async (contract, part, from, to) => {
      if (from > to) return [];
      const pk = `HISTORY#${contract}`;
      const read = [
        { from: dayKey(part, from), to: dayKey(part, to) },
        ...spansOf(from, to).map(([start, end]) => ({
          from: hourKey(part, start),
          to: hourKey(part, end),
        })),
      ].map((range) => queryAll(table, pk, range));
      const [held, ...items] = await Promise.all([heldAt(contract, part, from - 1), ...read]);
      const points = items.flat().map(fromItem);
      const recorded = new Map(points.map((point) => [point.time, point]));
      const within = [...recorded.values()].filter(({ time }) => time >= from && time <= to);
      return [...held.slice(-1), ...within.toSorted((a, b) => a.time - b.time)];
    },

    newest: async (contract, part, { from, to, each, limit }) => {
      if (from > to) return [];
      const pk = `HISTORY#${contract}`;
      const newestIn = (range: Range, most: number) =>
        table.query({ pk, range, descending: true, limit: most });
      const [days, hours] = await Promise.all([
        // One more, since the day of `to` may end with a point that comes later.
        newestIn({ from: dayKey(part, from), to: dayKey(part, to) }, limit + 1),
        each === 'point'
          ? newestIn({ from: hourKey(part, from), to: hourKey(part, to) }, limit)
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

  async function heldAt(
    contract: ContractKey,
    part: Part,
    instant: Instant,
    held: Held = 'reported',
  ): Promise<readonly PricePoint[]> {
    const pk = `HISTORY#${contract}`;
    const range = { from: `${part}#H#`, to: hourKey(part, instant) };
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
    const items = found.length > 0 ? found.toReversed() : await heldByDay(pk, part, instant);
    return items.map(fromItem);
  }

  /** Where nothing moved for so long that its hours are gone, the days still tell what held. */
  async function heldByDay(pk: string, part: Part, instant: Instant): Promise<readonly Item[]> {
    const range = { from: `${part}#D#`, to: dayKey(part, instant) };
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

/** What rules have seen of a source is not denied by another one. */
function isDenied(point: PricePoint, known: Item | undefined): boolean {
  return known?.observedAs !== undefined && known.source !== point.source && !isSame(point, known);
}

/**
 * Puts a price. A suspect replaces neither a floor of its time that counts by now nor a later price of
 * its day: a worker that stood still may write the suspect late.
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

/** Another report of the same price leaves it what it was when it came. */
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

/** Of one time the last counts: a vendor has revised the others. */
function hoursOf(contract: ContractKey, part: Part, points: readonly PricePoint[]) {
  const revised = new Map(ordered(points).map((point) => [point.time, point]));
  return [...revised.values()].map((point) => ({
    ...toItem(point),
    pk: `HISTORY#${contract}`,
    sk: `${part}#H#${formatInstant(point.time)}`,
    ttl: Math.floor((point.time + KEPT_DAYS * DAY) / 1000),
  }));
}

function daysOf(contract: ContractKey, part: Part, points: readonly PricePoint[]) {
  const days = new Map(ordered(points).map((point) => [dayKey(part, point.time), point]));
  return [...days].map(([sk, point]) => ({ ...toItem(point), pk: `HISTORY#${contract}`, sk }));
}

function ordered(points: readonly PricePoint[]): readonly PricePoint[] {
  return points.toSorted((a, b) => a.time - b.time);
}

/** A long span in parts that are read side by side: a table answers a megabyte at a time. */
function spansOf(from: Instant, to: Instant): readonly (readonly [Instant, Instant])[] {
  const spans = Array.from({ length: SPANS_READ }, (_, index) => {
    const end = to - index * READ_TOGETHER;
    const isLast = index === SPANS_READ - 1;
    return [isLast ? from : Math.max(from, end - READ_TOGETHER + 1), end] as const;
  });
  return spans.filter(([start, end]) => start <= end);
}

function hourKey(part: Part, instant: Instant): string {
  return `${part}#H#${formatInstant(instant)}`;
}

function dayKey(part: Part, instant: Instant): string {
  return `${part}#D#${formatInstant(instant).slice(0, 10)}`;
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

const Money = z.string().regex(/^\d+$/).transform(BigInt);
const Moment = z.iso.datetime().transform((text) => Date.parse(text));

/** What is known of a floor since it was observed. */
const AsObserved = z.object({
  observedAs: z.enum(['price', 'suspect']).optional(),
  confirmedBy: Provider.optional(),
});

export const HistoryItem = z.object({
  time: Moment,
  price: Money,
  currency: z.string(),
  usd: Money.optional(),
  source: z.string().optional(),
  marketplaces: z.array(z.object({ name: z.string(), logo: z.string() })).optional(),
  tradedAt: Moment.optional(),
  ...AsObserved.shape,
});

function fromItem(item: Item): PricePoint {
  return { kind: 'price', ...defined(readItem('price', HistoryItem, item)) };
}
