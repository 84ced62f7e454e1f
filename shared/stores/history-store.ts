import * as z from 'zod';
import { defined } from '#shared/domain/defined.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import type { Part, PricePoint } from '#shared/domain/market/point.ts';
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
  /** The last point at or before an instant, and what followed, oldest first. */
  readonly since: (
    contract: ContractKey,
    part: Part,
    instant: Instant,
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

const KEPT_DAYS = 35;
const WRITES_AT_ONCE = 25;

export function createHistoryStore(table: Table): HistoryStore {
  return {
    record: async (contract, part, points) => {
      const pk = `HISTORY#${contract}`;
      const ordered = points.toSorted((a, b) => a.time - b.time);
      // Of one time the last counts: a vendor has revised the others.
      const revised = new Map(ordered.map((point) => [point.time, point]));
      const hours = [...revised.values()].map((point) => {
        const ttl = Math.floor((point.time + KEPT_DAYS * DAY) / 1000);
        return { ...toItem(point), pk, sk: `${part}#H#${formatInstant(point.time)}`, ttl };
      });
      const days = new Map(
        ordered.map((point) => {
          const sk = dayKey(part, point.time);
          return [sk, { ...toItem(point), pk, sk }];
        }),
      );
      const items = [...hours, ...days.values()];
      for (let start = 0; start < items.length; start += WRITES_AT_ONCE) {
        const together = items.slice(start, start + WRITES_AT_ONCE);
        await Promise.all(together.map((item) => table.put(item)));
      }
    },

    since: async (contract, part, instant) => {
      const pk = `HISTORY#${contract}`;
      const prefix = `${part}#H#`;
      const at = `${prefix}${formatInstant(instant)}`;
      const [before, after] = await Promise.all([
        table.query({ pk, range: { from: prefix, to: at }, descending: true, limit: 1 }),
        queryAll(table, pk, { from: `${at}#`, to: `${prefix}\uffff` }),
      ]);
      const held = before.entries.length > 0 ? before.entries : await heldByDay(pk, part, instant);
      return [...held, ...after].map(fromItem);
    },

    newest: async (contract, part, { from, to, each, limit }) => {
      const pk = `HISTORY#${contract}`;
      const newestIn = (range: Range, most: number) =>
        table.query({ pk, range, descending: true, limit: most });
      const hour = (instant: Instant) => `${part}#H#${formatInstant(instant)}`;
      const [days, hours] = await Promise.all([
        // One more, since the day of `to` may end with a point that comes later.
        newestIn({ from: dayKey(part, from), to: dayKey(part, to) }, limit + 1),
        each === 'point' ? newestIn({ from: hour(from), to: hour(to) }, limit) : { entries: [] },
      ]);
      const points = [...days.entries, ...hours.entries].map(fromItem);
      const told = new Map(points.map((point) => [point.time, point]));
      return [...told.values()]
        .filter(({ time }) => time >= from && time <= to)
        .toSorted((a, b) => b.time - a.time)
        .slice(0, limit);
    },
  };

  /** Where nothing moved for so long that its hours are gone, the days still tell what held. */
  async function heldByDay(pk: string, part: Part, instant: Instant): Promise<readonly Item[]> {
    const range = { from: `${part}#D#`, to: dayKey(part, instant) };
    const { entries } = await table.query({ pk, range, descending: true, limit: 2 });
    return entries.filter((item) => fromItem(item).time <= instant).slice(0, 1);
  }
}

function dayKey(part: Part, instant: Instant): string {
  return `${part}#D#${formatInstant(instant).slice(0, 10)}`;
}

function toItem(point: PricePoint): Omit<Item, 'pk' | 'sk'> {
  return {
    time: formatInstant(point.time),
    price: point.price.toString(),
    currency: point.currency,
    usd: point.usd?.toString(),
    source: point.source,
    tradedAt: point.tradedAt === undefined ? undefined : formatInstant(point.tradedAt),
  };
}

const Money = z.string().regex(/^\d+$/).transform(BigInt);
const Moment = z.iso.datetime().transform((text) => Date.parse(text));

const HistoryItem = z
  .object({
    time: Moment,
    price: Money,
    currency: z.string(),
    usd: Money.optional(),
    source: z.string().optional(),
    tradedAt: Moment.optional(),
  })
  .transform(defined);

function fromItem(item: Item): PricePoint {
  return { kind: 'price', ...readItem(HistoryItem, item) };
}
