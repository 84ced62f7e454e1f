import type { Instant } from '#shared/domain/market/instant.ts';
import { SHARDS, shardOf } from '#shared/domain/shard.ts';
import type { Key } from './table.ts';

/** What is due for channels stands apart: however many are behind, nothing else waits for them. */
type Book = 'DUE' | 'DUE#CHANNELS';

/** The attributes that put an item into the `due` index; none without an appointment. */
export function appointment({ pk, sk }: Key, dueAt: Instant | undefined, book: Book = 'DUE') {
  return dueAt === undefined ? {} : { dueShard: `${book}#${shardOf(`${pk} ${sk}`)}`, dueAt };
}

/** All partitions of the `due` index. */
export function dueShards(): readonly string[] {
  const books: readonly Book[] = ['DUE', 'DUE#CHANNELS'];
  return books.flatMap((book) => Array.from({ length: SHARDS }, (_, shard) => `${book}#${shard}`));
}
