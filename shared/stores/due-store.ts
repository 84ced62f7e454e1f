import * as z from 'zod';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { earliest, type Instant } from '#shared/domain/market/instant.ts';
import type { DueCursors, DueLimits } from '#shared/domain/messages/due-cursors.ts';
import type { Timer } from '#shared/domain/messages/timer.ts';
import { destinationIdOfKey, isChannelKey } from './channel-store.ts';
import { dueShards } from './due-queue.ts';
import { hintsIdOf } from './hint-store.ts';
import { isJobKey, jobIdOfKey } from './job-store.ts';
import { readItem } from './read-item.ts';
import type { DueKey, Key, Table } from './table.ts';

/** Everything with a timer in the global index `due`. */
export type DueStore = {
  readonly cursors: () => Promise<DueCursors>;
  readonly noteCursors: (cursors: DueCursors) => Promise<void>;
  /**
   * What has its timer at `until` or before; of each shard the oldest, so many. A key that
   * means nothing is named and stops no other.
   */
  readonly due: (until: Instant, perShard: number) => Promise<Due>;
  /**
   * The same, and of a shard that has more so many of those behind them, from where the last such
   * reading ended: so each is reached in the end. Behind the last key it begins again with the first.
   */
  readonly dueFromCursors: (
    until: Instant,
    most: DueLimits,
    dueCursors: DueCursors,
  ) => Promise<Due & { readonly dueCursors: DueCursors }>;
  /** The destinations that have their timers at `until` or before; of each shard the oldest, so many. */
  readonly channelsDue: (until: Instant, perShard: number) => Promise<readonly DueChannel[]>;
};

type DueChannel = { readonly destinationId: DestinationId; readonly dueAt: Instant };

type Due = {
  readonly timers: readonly Timer[];
  /** Since when the longest waiting of them is due. */
  readonly overdueSince: Instant | undefined;
  readonly unreadable: readonly string[];
};

const CURSORS: Key = { pk: 'DISPATCH#0', sk: 'CURSORS' };

export function createDueStore(table: Table): DueStore {
  return {
    cursors: async () => {
      const item = await table.get(CURSORS);
      return item === undefined ? {} : readItem('dueCursors', CursorsItem, item).cursors;
    },

    noteCursors: (cursors) => table.put({ ...CURSORS, cursors }),

    due: async (until, perShard) =>
      dueOf(
        await Promise.all(
          dueShards().map(async (shard) => ({
            shard,
            keys: await table.due(shard, until, perShard),
          })),
        ),
      ),

    dueFromCursors: async (until, most, dueCursors) => {
      const found = await Promise.all(
        dueShards().map(async (shard) => ({
          shard,
          ...(await shardFromCursor(table, shard, until, most, dueCursors[shard])),
        })),
      );
      const next = found.flatMap(({ shard, turn }) => (turn === undefined ? [] : [[shard, turn]]));
      return { ...dueOf(found), dueCursors: Object.fromEntries(next) };
    },

    channelsDue: async (until, perShard) => {
      const found = await Promise.all(
        dueShards('DUE#CHANNELS').map((shard) => table.due(shard, until, perShard)),
      );
      return found
        .flat()
        .filter(isChannelKey)
        .map((key) => ({ destinationId: destinationIdOfKey(key), dueAt: key.dueAt }));
    },
  };
}

export const CursorsItem = z.object({
  cursors: z.record(z.string(), z.object({ pk: z.string(), sk: z.string(), dueAt: z.int() })),
});

/** The oldest of a shard, some of those behind them, and where the next ones begin, if there are any. */
async function shardFromCursor(
  table: Table,
  shard: string,
  until: Instant,
  most: DueLimits,
  turn: DueKey | undefined,
): Promise<{ readonly keys: readonly DueKey[]; readonly turn?: DueKey | undefined }> {
  const oldest = await table.due(shard, until, most.oldest);
  const last = oldest.at(-1);
  if (last === undefined || oldest.length < most.oldest) return { keys: oldest };
  // Clocks differ, and what was in the way may be gone.
  const isBetween = turn !== undefined && turn.dueAt >= last.dueAt && turn.dueAt <= until;
  const others: DueKey[] = [];
  let next: DueKey | undefined = isBetween ? turn : last;
  while (next !== undefined && others.length < most.behind) {
    const limit = Math.min(PAGE, most.behind - others.length);
    const page = await table.due(shard, until, limit, next);
    others.push(...page);
    next = page.length < limit ? undefined : page.at(-1);
  }
  return { keys: [...oldest, ...others], turn: next };
}

/** Keys are small: so many are far from what one answer of the table may hold. */
const PAGE = 1000;

function dueOf(found: readonly { readonly keys: readonly DueKey[] }[]): Due {
  const read = found.flatMap(({ keys }) => keys.map((key) => ({ key, timer: timerOf(key) })));
  return {
    overdueSince: earliest(read.map(({ key }) => key.dueAt)),
    timers: read.flatMap(({ timer }) => (timer === undefined ? [] : [timer])),
    unreadable: read.flatMap(({ key, timer }) =>
      timer === undefined ? [`${key.pk} ${key.sk}`] : [],
    ),
  };
}

function timerOf(key: DueKey): Timer | undefined {
  try {
    return readTimer(key);
  } catch (error) {
    if (error instanceof z.ZodError) return undefined;
    throw error;
  }
}

function readTimer(key: DueKey): Timer | undefined {
  const hints = hintsIdOf(key);
  if (hints !== undefined) return { kind: 'hints', id: hints };
  if (isChannelKey(key)) return { kind: 'channel', destinationId: destinationIdOfKey(key) };
  if (isJobKey(key)) return { kind: 'job', job: jobIdOfKey(key) };
  return undefined;
}
