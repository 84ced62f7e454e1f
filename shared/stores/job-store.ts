import * as z from 'zod';
import { Alert } from '#shared/domain/alerting/alert.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { DAY, SECOND } from '#shared/domain/market/instant.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import {
  type Applied,
  type Job,
  type JobId,
  type JobKind,
  type JobTarget,
  notApplied,
} from '#shared/domain/watchlists/job.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { dueAttributes } from './due-queue.ts';
import { readEach, readItem } from './read-item.ts';
import { beginningWith, type Item, type Key, queryAll, type Table, type Write } from './table.ts';

/** The jobs of lists, one item each, so that concurrent writers do not conflict. */
export type JobStore = {
  readonly get: (list: WatchlistId, target: JobTarget) => Promise<Job | undefined>;
  /** Creates a job unless its target already has one. Returns the stored job. */
  readonly make: (job: Job) => Promise<Job | undefined>;
  /** Replaces a job. Throws VersionConflictError if the stored job has changed. */
  readonly replace: (before: Job, after: Job) => Promise<void>;
  /** Removes a job if it is unchanged. */
  readonly settle: (job: Job) => Promise<void>;
  /** Records that a revision of a list was applied to a contract. */
  readonly noteApplied: (list: WatchlistId, applied: Applied) => Promise<void>;
  /** The applied revisions of a list's contracts. They are stored for a day. */
  readonly appliedTo: (list: WatchlistId) => Promise<readonly Applied[]>;
  /** The number of contracts to which the list is not applied yet. */
  readonly countContracts: (list: WatchlistId) => Promise<number>;
  /** The readable jobs of one kind. */
  readonly ofKind: (list: WatchlistId, kind: JobKind) => Promise<readonly Job[]>;
};

/** The write that stores a job. It replaces the job of the same target. */
export function writeOfJob(job: Job) {
  return { put: toItem(job) } satisfies Write;
}

/** The write that creates a job. It fails if its target already has one. */
export function createJobWrite(job: Job): Write {
  return { put: toItem(job), version: 0 };
}

/** The write that removes a job if it is unchanged. */
export function settleJobWrite({ list, target, version }: Job): Write {
  return { delete: keyOf(list, target), version };
}

export function createJobStore(table: Table): JobStore {
  const get = async (list: WatchlistId, target: JobTarget) => {
    const item = await table.get(keyOf(list, target));
    return item === undefined ? undefined : fromItem(item);
  };
  return {
    get,

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

    noteApplied: async (list, { contract, revision, at }) =>
      await table.put({
        ...{ pk: partitionOf(list), sk: `${APPLIED}${contract}`, revision, at },
        ttl: Math.floor((at + DAY) / SECOND),
      }),

    appliedTo: async (list) => {
      const items = await queryAll(table, partitionOf(list), beginningWith(APPLIED));
      return readEach(items, appliedFromItem, ({ sk }) => sk).entries;
    },

    countContracts: async (list) => {
      // In key order, the `apply` job follows its `applied` records.
      const items = await queryAll(table, partitionOf(list), { from: APPLIED, to: 'apply' });
      const [job, ...notes] = items.toReversed();
      if (job?.sk !== 'apply') return 0;
      return notApplied(fromItem(job), readEach(notes, appliedFromItem, ({ sk }) => sk).entries)
        .length;
    },

    ofKind: async (list, kind) => {
      const items = await queryAll(table, partitionOf(list), beginningWith(kind));
      return readEach(items, fromItem, ({ sk }) => sk).entries;
    },
  };
}

const APPLIED = 'applied#';

export const AppliedItem = z.lazy(() => z.object({ revision: z.int(), at: z.int() }));

function appliedFromItem(item: Item): Applied {
  const contract = ContractKey.parse(item.sk.slice(APPLIED.length));
  return { contract, ...readItem('applied', AppliedItem, item) };
}

/** The list and the target in a job's key. */
export function jobIdOfKey({ pk, sk }: Key): JobId {
  const [, tenant = '', id = ''] = pk.split('#');
  const [kind, ...parts] = sk.split('#');
  return { list: { tenant, id }, target: targetOf(kind, parts) };
}

export function isJobKey({ pk }: Key): boolean {
  return pk.startsWith(PARTITION);
}

function targetOf(
  kind: string | undefined,
  [what = '', end = '', generation, episode]: readonly string[],
): JobTarget {
  if (kind === 'expiry') return { kind, rule: what, end: Number(end) };
  if (kind === 'acknowledgement' || kind === 'escalation') {
    const numbers = { generation: Number(generation), episode: Number(episode) };
    return { kind, contract: ContractKey.parse(what), rule: end, ...numbers };
  }
  const simple = ['apply', 'mutes', 'wallet', 'report'] as const;
  return { kind: simple.find((one) => one === kind) ?? 'topic' };
}

export const JobItem = z.lazy(() =>
  z.object({
    revision: z.int(),
    createdAt: z.int(),
    dueAt: z.int(),
    informedOf: z.int().optional(),
    doubtedSince: z.int().optional(),
    alert: Alert.pick({ at: true, id: true }).optional(),
    escalatedAt: z.int().optional(),
    contracts: z.array(ContractKey).optional(),
    version: z.int(),
  }),
);

function toItem({ list, target, dueAt, ...job }: Job): Item {
  const key = keyOf(list, target);
  return { ...key, ...job, ...dueAttributes(key, dueAt) };
}

function fromItem(item: Item): Job {
  return { ...jobIdOfKey(item), ...readItem('job', JobItem, item) };
}

function keyOf(list: WatchlistId, target: JobTarget): Key {
  return { pk: partitionOf(list), sk: pathOf(target) };
}

const PARTITION = 'JOBS#';

/** Jobs have their own partition, so that functions may create jobs without rights on lists. */
function partitionOf({ tenant, id }: WatchlistId): string {
  return `${PARTITION}${tenant}#${id}`;
}

function pathOf(target: JobTarget): string {
  switch (target.kind) {
    case 'apply':
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
