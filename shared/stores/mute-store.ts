import * as z from 'zod';
import { Actor } from '#shared/domain/access/actor.ts';
import { Alert } from '#shared/domain/alerting/alert.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import type { Mutes } from '#shared/domain/watchlists/mute.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { readItem } from './read-item.ts';
import type { Key, Table, Write } from './table.ts';

/** The mutes of each list, one item. */
export type MuteStore = {
  /** Of a list that never had one: none, in version 0. */
  readonly get: (list: WatchlistId) => Promise<Mutes>;
};

export function createMuteStore(table: Table): MuteStore {
  return {
    get: async (list) => {
      const item = await table.get(keyOf(list));
      return item === undefined
        ? { list, version: 0, mutes: [] }
        : { list, ...readItem('mutes', MutesItem, item) };
    },
  };
}

/** The write of a version in the place of the one before it. */
export function writeOfMutes({ list, version, ...mutes }: Mutes): Write {
  return { put: { ...keyOf(list), version, ...mutes }, version: version - 1 };
}

export const MutesItem = z.object({
  version: z.int(),
  mutes: z.array(
    z.object({
      id: z.string(),
      by: Actor.optional().transform((by) => by),
      from: z.int(),
      until: z.int(),
      rule: z.string().optional(),
      contract: ContractKey.optional(),
      severity: Alert.shape.severity.optional(),
      reason: z.string().optional(),
    }),
  ),
});

function keyOf({ tenant, id }: WatchlistId): Key {
  return { pk: `TENANT#${tenant}`, sk: `MUTES#${id}` };
}
