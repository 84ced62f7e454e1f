import * as z from 'zod';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { appointment } from './appointment.ts';
import { beginningWith, type Item, type Key, type Table } from './table.ts';
import type { WatchlistId } from './watchlist-store.ts';

/** What of a list does not yet agree with its document: the watches on a contract, or its topic. */
export type PendingTarget = ContractKey | 'topic';

export type Pending = {
  readonly list: WatchlistId;
  readonly target: PendingTarget;
  /** The revision that is to be brought into effect. */
  readonly revision: number;
  readonly notedAt: Instant;
  /** Tells this note from any other, also from one of the same revision. */
  readonly version: number;
};

/**
 * Notes of what a change to a list has yet to bring about, written before the change itself and
 * repeated by the dispatcher until they are gone. An item each: no two actors meet on one.
 */
export type PendingStore = {
  readonly get: (list: WatchlistId, target: PendingTarget) => Promise<Pending | undefined>;
  readonly note: (pending: Pending) => Promise<void>;
  /** Takes a note away while it is still the one that was read. */
  readonly settle: (pending: Pending) => Promise<void>;
  readonly count: (list: WatchlistId) => Promise<number>;
};

/** Time enough for the first message to do it. */
const REPEATED_AFTER = MINUTE;

export function createPendingStore(table: Table): PendingStore {
  return {
    get: async (list, target) => {
      const item = await table.get(keyOf(list, target));
      return item === undefined ? undefined : fromItem(item);
    },

    note: async ({ list, target, revision, notedAt, version }) => {
      const key = keyOf(list, target);
      const due = appointment(key, notedAt + REPEATED_AFTER);
      await table.put({ ...key, revision, notedAt, version, ...due });
    },

    settle: ({ list, target, version }) => table.delete(keyOf(list, target), version),

    count: async (list) => {
      let count = 0;
      let after: string | undefined;
      do {
        const page = await table.query({
          pk: `TENANT#${list.tenant}`,
          range: beginningWith(`PENDING#${list.id}#`),
          limit: 1000,
          after,
        });
        count += page.entries.length;
        after = page.next;
      } while (after !== undefined);
      return count;
    },
  };
}

/** List and target of a note's key. */
export function pendingIdOf({ pk, sk }: Key): Pick<Pending, 'list' | 'target'> {
  const [, id = '', target = ''] = sk.split('#');
  return {
    list: { tenant: pk.slice('TENANT#'.length), id },
    target: target === 'topic' ? target : ContractKey.parse(target),
  };
}

const PendingItem = z.object({ revision: z.int(), notedAt: z.int(), version: z.int() });

function fromItem(item: Item): Pending {
  return { ...pendingIdOf(item), ...PendingItem.parse(item) };
}

function keyOf({ tenant, id }: WatchlistId, target: PendingTarget): Key {
  return { pk: `TENANT#${tenant}`, sk: `PENDING#${id}#${target}` };
}
