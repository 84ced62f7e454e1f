import type { Instant } from '#shared/domain/market/instant.ts';
import { SHARDS, shardOf } from '#shared/domain/shard.ts';
import type { Key } from './table.ts';

/** Channels have their own shards, so many overdue channels do not delay other timers. */
const DUE_QUEUES = ['DUE', 'DUE#CHANNELS'] as const;
type DueQueue = (typeof DUE_QUEUES)[number];

/** The attributes of an item in the `due` index; without a timer, the item is not in the index. */
export function dueAttributes(
  { pk, sk }: Key,
  dueAt: Instant | undefined,
  queue: DueQueue = 'DUE',
) {
  return dueAt === undefined ? {} : { dueShard: `${queue}#${shardOf(`${pk} ${sk}`)}`, dueAt };
}

/** The partitions of the `due` index for the given queues, by default for all. */
export function dueShards(...queues: readonly DueQueue[]): readonly string[] {
  return (queues.length === 0 ? DUE_QUEUES : queues).flatMap((queue) =>
    Array.from({ length: SHARDS }, (_, shard) => `${queue}#${shard}`),
  );
}
