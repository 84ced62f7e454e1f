import * as z from 'zod';
import type { Minute } from '#shared/domain/polling/due-work.ts';
import { dueShard } from './appointment.ts';
import { SHARDS } from './shard.ts';
import type { Key, Table } from './table.ts';

/** How far the dispatcher has come. */
export type DispatchProgress = {
  readonly version: number;
  /** The last minute whose polls were all sent; stands still while polls are stopped. */
  readonly polledUntil: Minute;
};

export type DispatchStore = {
  readonly progress: (shard: number) => Promise<DispatchProgress | undefined>;
  readonly finish: (shard: number, progress: DispatchProgress) => Promise<void>;
  /** What has an appointment at `until` or before, oldest first within its shard. */
  readonly due: (shard: number, until: number, limit: number) => Promise<readonly Key[]>;
};

export const DISPATCH_SHARDS: readonly number[] = Array.from({ length: SHARDS }, (_, n) => n);

export function createDispatchStore(table: Table): DispatchStore {
  return {
    progress: async (shard) => {
      const item = await table.get(keyOf(shard));
      return item === undefined ? undefined : ProgressItem.parse(item);
    },

    finish: (shard, { version, polledUntil }) =>
      table.put({ ...keyOf(shard), version: version + 1, polledUntil }, version),

    due: (shard, until, limit) => table.due(dueShard(shard), until, limit),
  };
}

const ProgressItem = z.object({ version: z.int(), polledUntil: z.int() });

function keyOf(shard: number): Key {
  return { pk: `DISPATCH#${shard}`, sk: 'PROGRESS' };
}
