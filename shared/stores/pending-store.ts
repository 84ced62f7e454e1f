import * as z from 'zod';
import { ContractKey } from '#shared/domain/market/contract.ts';
import type { ExpiryTarget, Pending, PendingTarget } from '#shared/domain/watchlists/pending.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { BulkTable } from './bulk-table.ts';
import { dueAttributes } from './due-queue.ts';
import { readItem } from './read-item.ts';
import { beginningWith, type Item, type Key, queryAll, type Table } from './table.ts';

/** Notes of what is pending; an item each, so that no two actors meet on one. */
export type PendingStore = {
  readonly get: (list: WatchlistId, target: PendingTarget) => Promise<Pending | undefined>;
  readonly note: (pending: Pending) => Promise<void>;
  /** Puts a note in the place of another, while that is still the one that was read. */
  readonly replace: (before: Pending, after: Pending) => Promise<void>;
  /** Takes a note away while it is still the one that was read. */
  readonly settle: (pending: Pending) => Promise<void>;
  /** How many contracts do not yet agree with the list. */
  readonly countContracts: (list: WatchlistId) => Promise<number>;
  /** The ends of rules that are yet to come or to be reported. */
  readonly expiries: (list: WatchlistId) => Promise<readonly ExpiryTarget[]>;
};

export function createPendingStore(table: Table): PendingStore {
  return {
    get: async (list, target) => {
      const item = await table.get(keyOf(list, target));
      return item === undefined ? undefined : fromItem(item);
    },

    note: (pending) => table.put(toItem(pending)),

    replace: (before, after) => table.put(toItem(after), before.version),

    settle: ({ list, target, version }) => table.delete(keyOf(list, target), version),

    countContracts: async ({ tenant, id }) => {
      const contracts = beginningWith(`PENDING#${id}#contract#`);
      return (await queryAll(table, `TENANT#${tenant}`, contracts)).length;
    },

    expiries: async ({ tenant, id }) => {
      const notes = beginningWith(`PENDING#${id}#expiry#`);
      const items = await queryAll(table, `TENANT#${tenant}`, notes);
      return items
        .map((item) => pendingIdOf(item).target)
        .filter((target) => target.kind === 'expiry');
    },
  };
}

/** Notes many things at once, each whatever was noted of it before. */
export function createPendingNotes(table: Pick<BulkTable, 'putAll'>) {
  return (all: readonly Pending[]): Promise<void> => table.putAll(all.map(toItem));
}

/** List and target of a note's key. */
export function pendingIdOf({ pk, sk }: Key): Pick<Pending, 'list' | 'target'> {
  const [, id = '', kind, what = '', end] = sk.split('#');
  return {
    list: { tenant: pk.slice('TENANT#'.length), id },
    target: targetOf(kind, what, end),
  };
}

function targetOf(kind: string | undefined, what: string, end?: string): PendingTarget {
  if (kind === 'contract') return { kind, contract: ContractKey.parse(what) };
  if (kind === 'expiry') return { kind, rule: what, end: Number(end) };
  return kind === 'mutes' ? { kind } : { kind: 'topic' };
}

const PendingItem = z.object({
  revision: z.int(),
  notedAt: z.int(),
  dueAt: z.int(),
  version: z.int(),
});

function toItem({ list, target, dueAt, ...note }: Pending): Item {
  const key = keyOf(list, target);
  return { ...key, ...note, ...dueAttributes(key, dueAt) };
}

function fromItem(item: Item): Pending {
  return { ...pendingIdOf(item), ...readItem(PendingItem, item) };
}

function keyOf({ tenant, id }: WatchlistId, target: PendingTarget): Key {
  return { pk: `TENANT#${tenant}`, sk: `PENDING#${id}#${pathOf(target)}` };
}

function pathOf(target: PendingTarget): string {
  switch (target.kind) {
    case 'contract':
      return `contract#${target.contract}`;
    case 'topic':
    case 'mutes':
      return target.kind;
    case 'expiry':
      return `expiry#${target.rule}#${target.end}`;
  }
}
