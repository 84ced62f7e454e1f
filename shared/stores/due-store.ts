import * as z from 'zod';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { earliest, type Instant } from '#shared/domain/market/instant.ts';
import type { DueCursors, DueLimits } from '#shared/domain/messages/due-cursors.ts';
import type { Timer } from '#shared/domain/messages/timer.ts';
import { destinationIdOfKey, isChannelKey } from './channel-store.ts';
import { dueShards } from './due-queue.ts';
import { isJobKey, jobIdOfKey } from './job-store.ts';
import { postIntentIdOf } from './post-intent-store.ts';
import { readItem } from './read-item.ts';
import type { DueKey, Key, Table } from './table.ts';

/** All items with a timer, read from the global index `due`. */
export type DueStore = {
  readonly cursors: () => Promise<DueCursors>;
  readonly noteCursors: (cursors: DueCursors) => Promise<void>;
  /**
   * The oldest timers due at `until`, up to `perShard` of each shard. Keys that cannot be parsed
   * are reported separately.
   */
  readonly due: (until: Instant, perShard: number) => Promise<Due>;
  /**
   * The oldest due timers, up to `most.oldest` of each shard. A shard with more due timers also
   * returns up to `most.behind` newer ones, starting at the cursor of the previous call. After the
   * last key the cursor returns to the first, so every timer is reached eventually.
   */
  readonly dueFromCursors: (
    until: Instant,
    most: DueLimits,
    dueCursors: DueCursors,
  ) => Promise<Due & { readonly dueCursors: DueCursors }>;
  /** The destinations with a timer due at `until`, up to `perShard` of each shard, oldest first. */
  readonly channelsDue: (until: Instant, perShard: number) => Promise<readonly DueChannel[]>;
};

type DueChannel = { readonly destinationId: DestinationId; readonly dueAt: Instant };

type Due = {
  readonly timers: readonly Timer[];
  /** The due time of the oldest timer found. */
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

export const CursorsItem = z.lazy(() =>
  z.object({
    cursors: z.record(z.string(), z.object({ pk: z.string(), sk: z.string(), dueAt: z.int() })),
  }),
);

/**
 * The oldest timers of a shard, and some newer ones that follow the cursor. Also returns the next
 * cursor if timers are left.
 */
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
  // A cursor outside this range is ignored: clocks differ, and the timers before it may be gone.
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

/** Page size. A thousand keys are far below DynamoDB's limit for a response. */
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
  const intent = postIntentIdOf(key);
  if (intent !== undefined) return { kind: 'postIntent', id: intent };
  if (isChannelKey(key)) return { kind: 'channel', destinationId: destinationIdOfKey(key) };
  if (isJobKey(key)) return { kind: 'job', job: jobIdOfKey(key) };
  return undefined;
}
