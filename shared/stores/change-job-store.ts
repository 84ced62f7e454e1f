import * as z from 'zod';
import { ContractKey } from '#shared/domain/market/contract.ts';
import type {
  ChangeJob,
  ChangeTarget,
  ExpiryTarget,
} from '#shared/domain/watchlists/change-job.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { BulkTable } from './bulk-table.ts';
import { dueAttributes } from './due-queue.ts';
import { readItem } from './read-item.ts';
import { beginningWith, type Item, type Key, queryAll, type Table } from './table.ts';

/** The change jobs of lists; an item each, so that no two actors meet on one. */
export type ChangeJobStore = {
  readonly get: (list: WatchlistId, target: ChangeTarget) => Promise<ChangeJob | undefined>;
  readonly note: (job: ChangeJob) => Promise<void>;
  /** Puts a job in the place of another, while that is still the one that was read. */
  readonly replace: (before: ChangeJob, after: ChangeJob) => Promise<void>;
  /** Takes a job away while it is still the one that was read. */
  readonly settle: (job: ChangeJob) => Promise<void>;
  /** How many contracts do not yet agree with the list. */
  readonly countContracts: (list: WatchlistId) => Promise<number>;
  /** The ends of rules that are yet to come or to be reported. */
  readonly expiries: (list: WatchlistId) => Promise<readonly ExpiryTarget[]>;
};

export function createChangeJobStore(table: Table): ChangeJobStore {
  return {
    get: async (list, target) => {
      const item = await table.get(keyOf(list, target));
      return item === undefined ? undefined : fromItem(item);
    },

    note: (job) => table.put(toItem(job)),

    replace: (before, after) => table.put(toItem(after), before.version),

    settle: ({ list, target, version }) => table.delete(keyOf(list, target), version),

    countContracts: async ({ tenant, id }) => {
      const contracts = beginningWith(`JOB#${id}#contract#`);
      return (await queryAll(table, `TENANT#${tenant}`, contracts)).length;
    },

    expiries: async ({ tenant, id }) => {
      const notes = beginningWith(`JOB#${id}#expiry#`);
      const items = await queryAll(table, `TENANT#${tenant}`, notes);
      return items
        .map((item) => changeJobIdOf(item).target)
        .filter((target) => target.kind === 'expiry');
    },
  };
}

/** Notes many things at once, each whatever was recorded of it before. */
export function createChangeJobWriter(table: Pick<BulkTable, 'putAll'>) {
  return (all: readonly ChangeJob[]): Promise<void> => table.putAll(all.map(toItem));
}

/** List and target of a job's key. */
export function changeJobIdOf({ pk, sk }: Key): Pick<ChangeJob, 'list' | 'target'> {
  const [, id = '', kind, what = '', end] = sk.split('#');
  return {
    list: { tenant: pk.slice('TENANT#'.length), id },
    target: targetOf(kind, what, end),
  };
}

function targetOf(kind: string | undefined, what: string, end?: string): ChangeTarget {
  if (kind === 'contract') return { kind, contract: ContractKey.parse(what) };
  if (kind === 'expiry') return { kind, rule: what, end: Number(end) };
  return kind === 'mutes' ? { kind } : { kind: 'topic' };
}

const ChangeJobItem = z.object({
  revision: z.int(),
  createdAt: z.int(),
  dueAt: z.int(),
  version: z.int(),
});

function toItem({ list, target, dueAt, ...job }: ChangeJob): Item {
  const key = keyOf(list, target);
  return { ...key, ...job, ...dueAttributes(key, dueAt) };
}

function fromItem(item: Item): ChangeJob {
  return { ...changeJobIdOf(item), ...readItem(ChangeJobItem, item) };
}

function keyOf({ tenant, id }: WatchlistId, target: ChangeTarget): Key {
  return { pk: `TENANT#${tenant}`, sk: `JOB#${id}#${pathOf(target)}` };
}

function pathOf(target: ChangeTarget): string {
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
