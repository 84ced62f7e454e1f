import * as z from 'zod';
import { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { Transition } from '#shared/domain/channels/transition.ts';
import { defined } from '#shared/domain/defined.ts';
import {
  indexEntriesOf,
  nextWake,
  thresholdIndexesOf,
  thresholdIndexOf,
  type UnreadableWatch,
  WATCH_ADMINS,
  WATCH_STATES,
  type Watch,
  type WatchId,
  watchPath,
} from '#shared/domain/evaluation/watch.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import type { Decimal } from '#shared/domain/market/decimal.ts';
import { GREATEST, LEAST } from '#shared/domain/market/decimal.ts';
import { type Instant, LAST_INSTANT } from '#shared/domain/market/instant.ts';
import { StoredMetric } from '#shared/domain/metrics/metric.ts';
import { omit } from '#shared/domain/omit.ts';
import type { Page } from '#shared/domain/page.ts';
import { type Timers, WAKE_KINDS, type WakeKind } from '#shared/domain/polling/contract-record.ts';
import type { RuleConditionClause } from '#shared/domain/rules/alert-rule.ts';
import {
  type IndexRange,
  type ThresholdIndexName,
  type ThresholdIndexPosition,
  thresholdIndexKey,
} from '#shared/domain/rules/threshold-index.ts';
import type { ReadSome } from '#shared/domain/unreadable.ts';
import { postingWrites } from './alert-store.ts';
import { createJobWrite, settleJobWrite } from './job-store.ts';
import { nextVersion } from './next-version.ts';
import { readEach, readItem } from './read-item.ts';
import { beginningWith, type Item, type Key, queryAll, type Range, type Table } from './table.ts';

type ListOfWatches = Pick<WatchId, 'tenant' | 'list'>;

/** The watches. A partition holds all watches of a contract, with two threshold indexes. */
export type WatchStore = {
  readonly get: (id: WatchId) => Promise<Watch | undefined>;
  /** Writes the watch if the stored version is unchanged; returns it with its new version. */
  readonly put: (watch: Watch) => Promise<Watch>;
  /**
   * Writes or removes the watch together with the results of its transition, in one transaction.
   * Throws VersionConflictError on a conflict.
   */
  readonly commit: (transition: Transition) => Promise<Watch>;
  readonly delete: (watch: WatchId & Pick<Watch, 'version'>) => Promise<void>;
  /** The readable watches of a list on a contract. */
  readonly ofList: (list: ListOfWatches, contract: ContractKey) => Promise<readonly Watch[]>;
  /** The watches of a list on a contract. Unreadable watches are listed separately. */
  readonly allOfList: (
    list: ListOfWatches,
    contract: ContractKey,
  ) => Promise<ReadSome<Watch, UnreadableWatch>>;
  /**
   * The watches of all lists of a tenant on a contract. Unreadable watches are listed separately.
   */
  readonly allOfTenant: (
    tenant: string,
    contract: ContractKey,
  ) => Promise<ReadSome<Watch, UnreadableWatch>>;
  /** Whether a tenant has an enabled watch on the contract. */
  readonly isWatchedBy: (tenant: string, contract: ContractKey) => Promise<boolean>;
  readonly reached: (
    indexRange: IndexRange,
    after: ThresholdIndexPosition | undefined,
  ) => Promise<Page<WatchId, ThresholdIndexPosition>>;
  /** The earliest timer of each kind. */
  readonly earliestTimers: (contract: ContractKey) => Promise<Timers>;
  /** The watches whose timer of one kind is due at `until`, earliest timer first. */
  readonly woken: (
    contract: ContractKey,
    kind: WakeKind,
    until: Instant,
    after: ThresholdIndexPosition | undefined,
  ) => Promise<Page<WatchId, ThresholdIndexPosition>>;
  /**
   * The threshold indexes that the watches on one page of a contract need. Throws UnreadableError
   * if a watch on the page is unreadable.
   */
  readonly thresholdIndexesNeeded: (
    contract: ContractKey,
    after: string | undefined,
  ) => Promise<Page<ThresholdIndexName, string>>;
};

/**
 * Page size of the indexes. Each watch of a page needs a read of its own, and an evaluation checks
 * its remaining time only between pages.
 */
const PAGE = 100;
/** Page size for reading all watches. A page is usually about half a megabyte. */
const LONG_PAGE = 500;

export function createWatchStore(table: Table): WatchStore {
  const allBeginningWith = async (prefix: string, contract: ContractKey) => {
    const items = await queryAll(table, partitionOf(contract), beginningWith(prefix));
    return readEach(items, fromItem, unreadableWatch);
  };
  const allOfList: WatchStore['allOfList'] = ({ tenant, list }, contract) =>
    allBeginningWith(`${tenant}#${list}#`, contract);

  return {
    get: async (id) => {
      const item = await table.get(keyOf(id));
      return item === undefined ? undefined : fromItem(item);
    },

    put: async (watch) => {
      const written = nextOf(watch);
      await table.put(toItem(written), watch.version);
      return written;
    },

    commit: async ({ watch, isRemoved, posted, made, settled }) => {
      const written = nextOf(watch);
      const { version } = watch;
      await table.transact([
        isRemoved ? { delete: keyOf(watch), version } : { put: toItem(written), version },
        ...posted.flatMap(postingWrites),
        ...made.map(createJobWrite),
        ...settled.map(settleJobWrite),
      ]);
      return written;
    },

    delete: (watch) => table.delete(keyOf(watch), watch.version),

    allOfList,

    allOfTenant: (tenant, contract) => allBeginningWith(`${tenant}#`, contract),

    ofList: async (list, contract) => (await allOfList(list, contract)).entries,

    isWatchedBy: async (tenant, contract) => {
      const range = beginningWith(`${tenant}#`);
      let after: string | undefined;
      do {
        const page = await table.query({ pk: partitionOf(contract), range, limit: PAGE, after });
        if (page.entries.some(({ admin }) => admin === 'enabled')) return true;
        after = page.next;
      } while (after !== undefined);
      return false;
    },

    reached: async ({ contract, thresholdIndex, value, ...name }, after) => {
      const at = (number: Decimal) => thresholdIndexKey(name, number);
      const range: Range =
        thresholdIndex === 'falling'
          ? { from: at(value), to: at(GREATEST) }
          : { from: at(LEAST), to: at(value) };
      const { entries, next } = await table.queryThresholdIndex({
        index: thresholdIndex,
        pk: partitionOf(contract),
        range,
        limit: PAGE,
        after,
      });
      return { entries: entries.map(idOf), ...defined({ next }) };
    },

    earliestTimers: async (contract) => {
      const timers = WAKE_KINDS.map(async (kind) => {
        const { next } = await table.queryThresholdIndex({
          ...{ index: 'wakes', pk: partitionOf(contract), limit: 1 },
          range: { from: wakeKey(kind, 0), to: wakeKey(kind, LAST_INSTANT) },
        });
        // On a full page, `next` is the position of its last entry, here the only one.
        return next === undefined ? [] : [[kind, wakeTime(next.position)] as const];
      });
      return Object.fromEntries((await Promise.all(timers)).flat());
    },

    woken: async (contract, kind, until, after) => {
      const { entries, next } = await table.queryThresholdIndex({
        ...{ index: 'wakes', pk: partitionOf(contract), limit: PAGE, after },
        range: { from: wakeKey(kind, 0), to: wakeKey(kind, until) },
      });
      return { entries: entries.map(idOf), ...defined({ next }) };
    },

    thresholdIndexesNeeded: async (contract, after) => {
      const { entries, next } = await table.query({
        pk: partitionOf(contract),
        range: { from: ' ', to: '\uffff' },
        limit: LONG_PAGE,
        after,
      });
      const waiting = entries
        .map(fromItem)
        .filter(({ admin, state }) => admin === 'enabled' && state !== 'ended');
      return {
        entries: waiting.flatMap(thresholdIndexesOf),
        ...defined({ next }),
      };
    },
  };
}

function idOf({ pk, sk }: Key): WatchId {
  const [tenant = '', list = '', rule = ''] = sk.split('#');
  return { tenant, list, rule, contract: ContractKey.parse(pk.slice(PARTITION.length)) };
}

const PARTITION = 'WATCHES#';
const Money = z.lazy(() =>
  z
    .string()
    .regex(/^-?\d+$/)
    .transform(BigInt),
);

const Condition = z.lazy(() =>
  z.union([
    z
      .object({ when: z.enum(['below', 'above']), threshold: Money, recover: Money.optional() })
      .transform(defined),
    z.object({ when: z.literal('crosses'), threshold: Money }),
    z.object({ when: z.enum(['outside', 'inside']), low: Money, high: Money }),
  ]),
);
const Clause = z.object({
  metric: StoredMetric,
  unit: z.string(),
  ignoreBelow: z.union([z.literal('hundredth'), Money]).optional(),
  minSources: z.literal(2).optional(),
  holding: z.object({ cost: Money, amount: Money }).optional(),
  condition: Condition,
});
const JointClause = Clause.transform(defined);

export const WatchItem = z.lazy(() =>
  z.object({
    version: z.int(),
    generation: z.int(),
    ruleCondition: z
      .object({
        ...Clause.shape,
        also: z.array(JointClause).optional(),
        arm: z.enum(['level', 'cross']),
        takesOutliers: z.literal(true).optional(),
        for: z.int().optional(),
        keepFor: z.int().optional(),
        confirm: z.object({ times: z.int(), of: z.int() }).optional(),
      })
      .transform(defined),
    repeatPolicy: z
      .object({
        repeat: z.enum(['once', 'every']),
        reminder: z.int().optional(),
        steps: Money.optional(),
        hasNoDataWatches: z.literal(true).optional(),
      })
      .transform(defined),
    presentation: z
      .object({
        label: z.string().optional(),
        name: z.string().optional(),
        severity: z.enum(['info', 'warning', 'critical']),
        notify: z.array(z.string()).optional(),
        notifyRecovery: z.boolean(),
      })
      .transform(defined),
    admin: z.enum(WATCH_ADMINS),
    expiresAt: z.int().optional(),
    since: z.int(),
    state: z.enum(WATCH_STATES),
    stateSince: z.int().optional(),
    noValueSince: z.int().optional(),
    position: z.enum(['under', 'within', 'over']).optional(),
    unmet: z.int().optional(),
    recentSamples: z.array(z.object({ time: z.int(), beyond: z.boolean() })).optional(),
    lastReported: Money.optional(),
    remindedAt: z.int().optional(),
    evaluatedSeq: z.int(),
    countsFrom: z.int().optional(),
    editedAt: z.int().optional(),
    brokenSince: z.int().optional(),
    episode: z.int(),
    firedAt: z.int().optional(),
    alerts: z.int(),
    notified: z.array(DestinationId).optional(),
  }),
);

function nextOf(watch: Watch): Watch {
  return { ...watch, version: nextVersion(watch.version, watch.since) };
}

function toItem(watch: Watch): Item {
  const attributes = omit(watch, 'tenant', 'list', 'rule', 'contract');
  const { also } = watch.ruleCondition;
  const waiting = indexEntriesOf(watch);
  const on = (number: Decimal | undefined) =>
    number === undefined ? undefined : thresholdIndexKey(thresholdIndexOf(watch), number);
  const wake = nextWake(watch);
  return {
    ...keyOf(watch),
    ...attributes,
    ruleCondition: {
      ...watch.ruleCondition,
      ...clauseItem(watch.ruleCondition),
      also: also?.map(clauseItem),
    },
    repeatPolicy: asTexts(watch.repeatPolicy),
    lastReported: watch.lastReported?.toString(),
    falling: on(waiting.falling),
    rising: on(waiting.rising),
    wakes: wake === undefined ? undefined : wakeKey(wake.kind, wake.at),
  };
}

function clauseItem(clause: RuleConditionClause) {
  const { metric, unit, ignoreBelow, minSources, holding, condition } = clause;
  return {
    ...{ metric, unit, condition: asTexts(condition) },
    ...defined({ ignoreBelow: ignoreBelow?.toString(), minSources }),
    ...(holding && { holding: asTexts(holding) }),
  };
}

function fromItem(item: Item): Watch {
  return { ...idOf(item), ...defined(readItem('watch', WatchItem, item)) };
}

function unreadableWatch(item: Item, reason: string): UnreadableWatch {
  const { contract, rule } = idOf(item);
  return { kind: 'watch', id: `${contract}/${rule}`, reason, rule, ...LegibleNumbers.parse(item) };
}

const Legible = z.lazy(() => z.int().optional().catch(undefined));
const LegibleNumbers = z.lazy(() => z.object({ version: Legible, generation: Legible }));

/** The time of a timer, from its key in the index `wakes`. */
function wakeTime(key: string): Instant {
  return Number(key.split('#')[1]);
}

/** The sort key of a watch in the index `wakes`. */
function wakeKey(kind: WakeKind, at: Instant): string {
  return `${kind}#${String(at).padStart(16, '0')}`;
}

/** Amounts of money are stored as texts. */
function asTexts(values: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? value.toString() : value,
    ]),
  );
}

function keyOf(id: WatchId): Key {
  return { pk: partitionOf(id.contract), sk: watchPath(id) };
}

function partitionOf(contract: ContractKey): string {
  return `${PARTITION}${contract}`;
}
