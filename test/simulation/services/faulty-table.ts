import { createMemoryTable } from '#infra/local/memory-table.ts';
import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import { OutcomeUnknownError } from '#shared/domain/outcome-unknown.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { type DueKey, type Item, type Key, keyOfWrite, type Table } from '#shared/stores/table.ts';
import { type Faults, InjectedFaultError } from './faults.ts';
import type { Invocation, Sandboxes } from './sandbox.ts';
import type { Stream } from './streams.ts';
import type { Timeline } from './timeline.ts';

/** A write that was applied, with the item before and after it. */
export type Written = {
  readonly key: Key;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  readonly by: Invocation;
  /** The items that the same transaction has put, this one included. */
  readonly together: readonly Item[];
};

export type FaultyTable = {
  /** The table for the current invocation, with faults in the calls of this invocation. */
  readonly reachedBy: (current: () => Invocation) => Table;
  readonly items: () => readonly Item[];
};

export type TableWorld = {
  readonly timeline: Timeline;
  readonly faults: Faults;
  readonly schedule: Stream;
  readonly sandboxes: Pick<Sandboxes, 'call'>;
  readonly written: (written: Written) => void;
  readonly met: (what: 'conflict' | 'zombie refused' | 'stale timer') => void;
};

/** A table in memory that fails in the ways in which DynamoDB can fail. */
export function createFaultyTable(world: TableWorld): FaultyTable {
  const { faults, sandboxes } = world;
  const memory = createMemoryTable();
  const timers = createDueIndex(world);

  const refuse = (by: Invocation) => {
    if (!faults.strikes('tableThrottles')) return;
    by.disturbance ??= 'refusal of the table';
    throw new InjectedFaultError('the table throttles');
  };

  const write = async (by: Invocation, keys: readonly Key[], change: () => Promise<void>) => {
    refuse(by);
    const loseAnswer = (fault: 'writeLost' | 'writeUnknown') => {
      if (!faults.strikes(fault)) return;
      by.disturbance ??= 'unknown answer of the table';
      throw new OutcomeUnknownError(keys.map(pathOf).join(', '));
    };
    loseAnswer('writeLost');
    const before = await Promise.all(keys.map(memory.get));
    try {
      await change();
    } catch (error) {
      if (error instanceof VersionConflictError)
        world.met(by.isOver ? 'zombie refused' : 'conflict');
      throw error;
    }
    const after = await Promise.all(keys.map(memory.get));
    const together = after.filter((item) => item !== undefined);
    for (const [index, key] of keys.entries()) {
      timers.note(key, after[index]);
      world.written({ key, before: before[index], after: after[index], by, together });
    }
    loseAnswer('writeUnknown');
  };

  return {
    items: memory.items,
    reachedBy: (current) => {
      const read = <Result>(name: string, effect: () => Promise<Result>) => {
        const by = current();
        return sandboxes.call(by, name, async () => {
          refuse(by);
          return await effect();
        });
      };
      return {
        get: (key) => read(`get ${pathOf(key)}`, () => memory.get(key)),
        put: (item, version) => {
          const by = current();
          return sandboxes.call(by, `put ${pathOf(item)} ${version}`, () =>
            write(by, [item], () => memory.put(item, version)),
          );
        },
        delete: (key, version) => {
          const by = current();
          return sandboxes.call(by, `delete ${pathOf(key)} ${version}`, () =>
            write(by, [key], () => memory.delete(key, version)),
          );
        },
        transact: (writes) => {
          const by = current();
          const keys = writes.map(keyOfWrite);
          const named = writes.map(
            (one) => `${'put' in one ? 'put' : 'delete'} ${pathOf(keyOfWrite(one))}`,
          );
          return sandboxes.call(by, `transact ${named.join(', ')}`, () =>
            write(by, keys, () => memory.transact(writes)),
          );
        },
        query: (query) => read(`query ${query.pk}`, () => memory.query(query)),
        queryThresholdIndex: (query) =>
          read(`thresholdIndex ${query.pk} ${query.index}`, () =>
            memory.queryThresholdIndex(query),
          ),
        due: (shard, ...given) => read(`due ${shard}`, async () => timers.due(shard, ...given)),
      };
    },
  };
}

type Timer = { readonly key: Key; readonly shard: string; readonly at: Instant };

const LONGEST_LAG_SECONDS = 90;

/** The index of timers, which follows the table with a delay. */
function createDueIndex({ timeline, faults, schedule, met }: TableWorld) {
  const current = new Map<string, Timer>();
  const changes: { at: Instant; path: string; before: Timer | undefined }[] = [];

  /** The index as it was at an earlier instant. */
  const asOf = (instant: Instant): ReadonlyMap<string, Timer> => {
    const recent = changes.filter(({ at }) => at > instant);
    if (recent.length === 0) return current;
    met('stale timer');
    const then = new Map(current);
    for (const { path, before } of recent.toReversed()) {
      if (before === undefined) then.delete(path);
      else then.set(path, before);
    }
    return then;
  };

  return {
    note: (key: Key, item: Item | undefined) => {
      const path = pathOf(key);
      const before = current.get(path);
      const [dueShard, dueAt] = [item?.dueShard, item?.dueAt];
      const has = typeof dueShard === 'string' && typeof dueAt === 'number';
      const after = has
        ? { key: { pk: key.pk, sk: key.sk }, shard: dueShard, at: dueAt }
        : undefined;
      if (before?.at === after?.at && before?.shard === after?.shard) return;
      changes.push({ at: timeline.now(), path, before });
      while ((changes[0]?.at ?? 0) < timeline.now() - LONGEST_LAG_SECONDS * SECOND) changes.shift();
      if (after === undefined) current.delete(path);
      else current.set(path, after);
    },

    due: (shard: string, until: Instant, limit: number, after?: DueKey): readonly DueKey[] => {
      const lag = faults.strikes('dueStale') ? schedule.between(1, LONGEST_LAG_SECONDS) : 0;
      const seen = lag === 0 ? current : asOf(timeline.now() - lag * SECOND);
      return [...seen.values()]
        .filter((timer) => timer.shard === shard && timer.at <= until)
        .map(({ key, at }) => ({ ...key, dueAt: at }))
        .toSorted(inTurn)
        .filter((key) => after === undefined || inTurn(after, key) < 0)
        .slice(0, limit);
    },
  };
}

function inTurn(left: DueKey, right: DueKey): number {
  if (left.dueAt !== right.dueAt) return left.dueAt - right.dueAt;
  if (pathOf(left) === pathOf(right)) return 0;
  return pathOf(left) < pathOf(right) ? -1 : 1;
}

function pathOf({ pk, sk }: Key): string {
  return `${pk}|${sk}`;
}
