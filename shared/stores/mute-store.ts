import * as z from 'zod';
import { Actor } from '#shared/domain/access/actor.ts';
import { Alert } from '#shared/domain/alerting/alert.ts';
import { defined } from '#shared/domain/defined.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import type { Mutes } from '#shared/domain/watchlists/mute.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { readItem } from './read-item.ts';
import type { Key, Table, Write } from './table.ts';

/** The mutes of each list, in one item. */
export type MuteStore = {
  /** Without an item: version 0 and no mutes. */
  readonly get: (list: WatchlistId) => Promise<Mutes>;
};

export function createMuteStore(table: Table): MuteStore {
  return {
    get: async (list) => {
      const item = await table.get(keyOf(list));
      if (item === undefined) return { list, version: 0, mutes: [] };
      const { untilRecovered = [], ...read } = readItem('mutes', MutesItem, item);
      return { list, ...read, mutes: [...read.mutes, ...untilRecovered] };
    },
  };
}

/** The write that replaces the previous version. */
export function writeOfMutes({ list, version, mutes, ...rest }: Mutes): Write {
  const { spans = [], untilRecovered } = Object.groupBy(mutes, ({ episodes }) =>
    episodes === undefined ? 'spans' : 'untilRecovered',
  );
  const item = { ...rest, mutes: spans, ...defined({ untilRecovered }) };
  return { put: { ...keyOf(list), version, ...item }, version: version - 1 };
}

const MuteItem = z.object({
  id: z.string(),
  by: Actor.optional().transform((by) => by),
  from: z.int(),
  until: z.int(),
  rule: z.string().optional(),
  contract: ContractKey.optional(),
  severity: Alert.shape.severity.optional(),
  reason: z.string().optional(),
});

export const MutesItem = z.lazy(() =>
  z.object({
    version: z.int(),
    mutes: z.array(MuteItem),
    /**
     * Mutes that end with episodes. They are not in `mutes`, because version 0.4.0 would also hold
     * their recovery alerts. That version ignores this attribute and sends all alerts.
     */
    untilRecovered: z
      .array(
        MuteItem.extend({ episodes: z.array(z.object({ watch: z.string(), name: z.string() })) }),
      )
      .optional(),
  }),
);

function keyOf({ tenant, id }: WatchlistId): Key {
  return { pk: `TENANT#${tenant}`, sk: `MUTES#${id}` };
}
