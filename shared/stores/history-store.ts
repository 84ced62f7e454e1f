import * as z from 'zod';
import { defined } from '#shared/domain/defined.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import type { Part, PricePoint } from '#shared/domain/market/point.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { type Item, queryAll, type Table } from './table.ts';

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
  const read = HistoryItem.safeParse(item);
  if (read.success) return { kind: 'price', ...read.data };
  throw new UnreadableError(`${item.pk} ${item.sk}`, { cause: read.error });
}
