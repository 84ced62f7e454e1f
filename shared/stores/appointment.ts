import type { Instant } from '#shared/domain/market/instant.ts';
import { shardOf } from '#shared/domain/shard.ts';
import type { Key } from './table.ts';

/** The attributes that put an item into the `due` index; none without an appointment. */
export function appointment({ pk, sk }: Key, dueAt: Instant | undefined) {
  return dueAt === undefined ? {} : { dueShard: dueShard(shardOf(`${pk} ${sk}`)), dueAt };
}

/** The partition of the `due` index with a number. */
export function dueShard(shard: number): string {
  return `DUE#${shard}`;
}
