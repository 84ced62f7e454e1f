import * as z from 'zod';
import { Alert } from '#shared/domain/alerting/alert.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import type {
  ChangeJob,
  ChangeTarget,
  ExpiryTarget,
} from '#shared/domain/watchlists/change-job.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { dueAttributes } from './due-queue.ts';
import { inParallel } from './in-parallel.ts';
import { readEach, readItem } from './read-item.ts';
import { beginningWith, type Item, type Key, queryAll, type Table, type Write } from './table.ts';

/** The change jobs of lists; an item each, so that no two actors meet on one. */
export type ChangeJobStore = {
  readonly get: (list: WatchlistId, target: ChangeTarget) => Promise<ChangeJob | undefined>;
  /**
   * Puts jobs in the place of what their targets had. VersionConflictError if one of them had a job
   * of a later revision: that edit has overtaken this one, and would be taken for the older.
   */
  readonly put: (...jobs: readonly ChangeJob[]) => Promise<void>;
  /** Puts a job where its target has none. Reports the one that is there then, made or found. */
  readonly make: (job: ChangeJob) => Promise<ChangeJob | undefined>;
  /** Puts a job in the place of another, while that is still the one that was read. */
  readonly replace: (before: ChangeJob, after: ChangeJob) => Promise<void>;
  /** Takes a job away while it is still the one that was read. */
  readonly settle: (job: ChangeJob) => Promise<void>;
  /** How many contracts do not yet agree with the list. */
  readonly countContracts: (list: WatchlistId) => Promise<number>;
  /** The ends of rules that are yet to come or to be reported. */
  readonly expiries: (list: WatchlistId) => Promise<readonly ExpiryTarget[]>;
  /** The escalations of episodes, those of unreadable jobs left out. */
  readonly escalations: (list: WatchlistId) => Promise<readonly ChangeJob[]>;
};

/** The write of a job whose target has none. */
export function makingOf(job: ChangeJob): Write {
  return { put: toItem(job), version: 0 };
}

/** The write that takes a job away while it is still the one that was read. */
export function settlingOf({ list, target, version }: ChangeJob): Write {
  return { delete: keyOf(list, target), version };
}

export function createChangeJobStore(table: Table): ChangeJobStore {
  const get = async (list: WatchlistId, target: ChangeTarget) => {
    const item = await table.get(keyOf(list, target));
    return item === undefined ? undefined : fromItem(item);
  };
  return {
    get,

    put: async (...jobs) => {
      const byKey = new Map(jobs.map((job) => [JSON.stringify(keyOf(job.list, job.target)), job]));
      await inParallel(byKey.values(), AT_ONCE, (job) => putNewest(table, job));
    },

    make: async (job) => {
      try {
        await table.put(toItem(job), 0);
        return job;
      } catch (error) {
        if (!(error instanceof VersionConflictError)) throw error;
        return await get(job.list, job.target);
      }
    },

    replace: (before, after) => table.put(toItem(after), before.version),

    settle: ({ list, target, version }) => table.delete(keyOf(list, target), version),

    countContracts: async ({ tenant, id }) => {
      const contracts = beginningWith('contract#');
      return (await queryAll(table, partitionOf({ tenant, id }), contracts)).length;
    },

    expiries: async ({ tenant, id }) => {
      const expiries = beginningWith('expiry#');
      const items = await queryAll(table, partitionOf({ tenant, id }), expiries);
      return items
        .map((item) => changeJobIdOf(item).target)
        .filter((target) => target.kind === 'expiry');
    },

    escalations: async (list) => {
      const items = await queryAll(table, partitionOf(list), beginningWith('escalation#'));
      return readEach(items, fromItem, ({ sk }) => sk).entries;
    },
  };
}

/** As many jobs are put at once: a list has one for each of its contracts. */
const AT_ONCE = 25;
const TRIES = 20;
const Known = z.object({
  revision: z.int().optional().catch(undefined),
  createdAt: z.int().optional().catch(undefined),
  version: z.int().optional().catch(undefined),
});

async function putNewest(table: Table, job: ChangeJob, tries = TRIES): Promise<void> {
  const { pk, sk } = keyOf(job.list, job.target);
  // An item that another version of the code has written may lack either number.
  const known = Known.parse((await table.get({ pk, sk })) ?? { version: 0 });
  const { revision = 0, createdAt = 0, version } = known;
  if (revision > job.revision) throw new VersionConflictError(`${pk} ${sk}`);
  // Of rivals for one revision the later may be the one that is made.
  const later = revision === job.revision ? Math.max(job.createdAt, createdAt) : job.createdAt;
  try {
    await table.put(toItem({ ...job, createdAt: later }), version);
  } catch (error) {
    if (!(error instanceof VersionConflictError) || tries === 1) throw error;
    await putNewest(table, job, tries - 1);
  }
}

/** List and target of a job's key. */
export function changeJobIdOf({ pk, sk }: Key): Pick<ChangeJob, 'list' | 'target'> {
  const [, tenant = '', id = ''] = pk.split('#');
  const [kind, ...parts] = sk.split('#');
  return { list: { tenant, id }, target: targetOf(kind, parts) };
}

/** Whether a key is of a job. */
export function isJobKey({ pk }: Key): boolean {
  return pk.startsWith(PARTITION);
}

function targetOf(
  kind: string | undefined,
  [what = '', end = '', generation, episode]: readonly string[],
): ChangeTarget {
  if (kind === 'contract') return { kind, contract: ContractKey.parse(what) };
  if (kind === 'expiry') return { kind, rule: what, end: Number(end) };
  if (kind === 'acknowledgement' || kind === 'escalation') {
    const numbers = { generation: Number(generation), episode: Number(episode) };
    return { kind, contract: ContractKey.parse(what), rule: end, ...numbers };
  }
  return kind === 'mutes' || kind === 'wallet' || kind === 'report' ? { kind } : { kind: 'topic' };
}

export const ChangeJobItem = z.object({
  revision: z.int(),
  createdAt: z.int(),
  dueAt: z.int(),
  informedOf: z.int().optional(),
  doubtedSince: z.int().optional(),
  alert: Alert.pick({ at: true, id: true }).optional(),
  escalatedAt: z.int().optional(),
  version: z.int(),
});

function toItem({ list, target, dueAt, ...job }: ChangeJob): Item {
  const key = keyOf(list, target);
  return { ...key, ...job, ...dueAttributes(key, dueAt) };
}

function fromItem(item: Item): ChangeJob {
  return { ...changeJobIdOf(item), ...readItem('changeJob', ChangeJobItem, item) };
}

function keyOf(list: WatchlistId, target: ChangeTarget): Key {
  return { pk: partitionOf(list), sk: pathOf(target) };
}

const PARTITION = 'JOBS#';

/** Jobs are kept apart from lists: who makes them needs no right to write a list. */
function partitionOf({ tenant, id }: WatchlistId): string {
  return `${PARTITION}${tenant}#${id}`;
}

function pathOf(target: ChangeTarget): string {
  switch (target.kind) {
    case 'contract':
      return `contract#${target.contract}`;
    case 'topic':
    case 'mutes':
    case 'wallet':
    case 'report':
      return target.kind;
    case 'expiry':
      return `expiry#${target.rule}#${target.end}`;
    case 'acknowledgement':
    case 'escalation': {
      const { kind, contract, rule, generation, episode } = target;
      return `${kind}#${contract}#${rule}#${generation}#${episode}`;
    }
  }
}
