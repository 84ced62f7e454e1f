import type { Instant } from '#shared/domain/market/instant.ts';
import { SHARDS, shardOf } from '#shared/domain/shard.ts';
import type { Key } from './table.ts';

/** Channels have shards of their own: many overdue channels delay nothing else. */
const DUE_QUEUES = ['DUE', 'DUE#CHANNELS'] as const;
type DueQueue = (typeof DUE_QUEUES)[number];

/** The attributes that put an item into the `due` index; none without a timer. */
export function dueAttributes(
  { pk, sk }: Key,
  dueAt: Instant | undefined,
  queue: DueQueue = 'DUE',
) {
  return dueAt === undefined ? {} : { dueShard: `${queue}#${shardOf(`${pk} ${sk}`)}`, dueAt };
}

/** The partitions of the `due` index: all of them, or those of one queue. */
export function dueShards(...queues: readonly DueQueue[]): readonly string[] {
  return (queues.length === 0 ? DUE_QUEUES : queues).flatMap((queue) =>
    Array.from({ length: SHARDS }, (_, shard) => `${queue}#${shard}`),
  );
}
