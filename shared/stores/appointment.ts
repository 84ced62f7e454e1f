import type { Instant } from '#shared/domain/market/instant.ts';
import { SHARDS, shardOf } from '#shared/domain/shard.ts';
import type { Key } from './table.ts';

/**
 * What is due for channels stands apart, and so do the instants of watches, which may have to wait
 * for an answer of the upstream: however many are behind, nothing else waits for them.
 */
const BOOKS = ['DUE', 'DUE#CHANNELS', 'DUE#INSTANTS'] as const;
type Book = (typeof BOOKS)[number];

/** The attributes that put an item into the `due` index; none without an appointment. */
export function appointment({ pk, sk }: Key, dueAt: Instant | undefined, book: Book = 'DUE') {
  return dueAt === undefined ? {} : { dueShard: `${book}#${shardOf(`${pk} ${sk}`)}`, dueAt };
}

/** All partitions of the `due` index. */
export function dueShards(): readonly string[] {
  return BOOKS.flatMap((book) => Array.from({ length: SHARDS }, (_, shard) => `${book}#${shard}`));
}

/** Whether what is due in a partition of the index waits for nobody but us. */
export function isOwed(dueShard: string): boolean {
  return !dueShard.startsWith('DUE#INSTANTS');
}
