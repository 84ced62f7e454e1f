import * as z from 'zod';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import type { Part, PricePoint } from '#shared/domain/market/point.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { defined } from './defined.ts';
import type { Item, Table } from './table.ts';

/** The recorded past of a contract: each point for 35 days, the last of each UTC day for ever. */
export type HistoryStore = {
  /** Idempotent. Points of a part are recorded in order of time. */
  readonly record: (contract: ContractKey, part: Part, point: PricePoint) => Promise<void>;
  /** The last point at or before an instant, and what followed, oldest first; so many at most. */
  readonly since: (
    contract: ContractKey,
    part: Part,
    instant: Instant,
  ) => Promise<readonly PricePoint[]>;
};

const KEPT_DAYS = 35;
/** All hourly points that there are. */
const MOST = 1000;

export function createHistoryStore(table: Table): HistoryStore {
  return {
    record: async (contract, part, point) => {
      const time = formatInstant(point.time);
      const pk = `HISTORY#${contract}`;
      const ttl = Math.floor((point.time + KEPT_DAYS * DAY) / 1000);
      await table.put({ ...toItem(point), pk, sk: `${part}#H#${time}`, ttl });
      await table.put({ ...toItem(point), pk, sk: `${part}#D#${time.slice(0, 10)}` });
    },

    since: async (contract, part, instant) => {
      const pk = `HISTORY#${contract}`;
      const prefix = `${part}#H#`;
      const at = `${prefix}${formatInstant(instant)}`;
      const [before, after] = await Promise.all([
        table.query({ pk, range: { from: prefix, to: at }, descending: true, limit: 1 }),
        table.query({ pk, range: { from: `${at}#`, to: `${prefix}\uffff` }, limit: MOST }),
      ]);
      return [...before.entries, ...after.entries].map(fromItem);
    },
  };
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
