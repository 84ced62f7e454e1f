import type { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, formatInstant } from '#shared/domain/market/instant.ts';
import type { Part, PricePoint } from '#shared/domain/market/point.ts';
import type { Item, Table } from './table.ts';

/** The recorded past of a contract: each point for 35 days, the last of each UTC day for ever. */
export type HistoryStore = {
  /** Idempotent. Points of a part are recorded in order of time. */
  readonly record: (contract: ContractKey, part: Part, point: PricePoint) => Promise<void>;
};

const KEPT_DAYS = 35;

export function createHistoryStore(table: Table): HistoryStore {
  return {
    record: async (contract, part, point) => {
      const time = formatInstant(point.time);
      const pk = `HISTORY#${contract}`;
      const ttl = Math.floor((point.time + KEPT_DAYS * DAY) / 1000);
      await table.put({ ...toItem(point), pk, sk: `${part}#H#${time}`, ttl });
      await table.put({ ...toItem(point), pk, sk: `${part}#D#${time.slice(0, 10)}` });
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
