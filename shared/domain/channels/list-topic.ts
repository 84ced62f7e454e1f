import { createHash } from 'node:crypto';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';

/** The name of the topic of a list, behind what the names of a stage's topics begin with. */
export function listTopicName(prefix: string, { tenant, id }: WatchlistId): string {
  const hash = createHash('sha256').update(`${tenant} ${id}`).digest('hex');
  return `${prefix}${hash.slice(0, 32)}`;
}
