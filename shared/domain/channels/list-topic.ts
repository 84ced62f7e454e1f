import { createHash } from 'node:crypto';
import type { Endpoint } from '#shared/channels/channel-kind.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';

/**
 * The endpoints for which a list may have a topic. An endpoint is recorded before its topic is created
 * and removed after its topic is deleted, so a crash leaves no unrecorded topic.
 */
export type ListTopics = {
  readonly list: WatchlistId;
  readonly version: number;
  readonly endpoints: readonly Endpoint[];
};

/**
 * The name of the topic of one endpoint of a list. It begins with the prefix of the stage's topics. Each
 * endpoint has a topic of its own, because SNS applies the filter policy of a shared one up to 15 minutes late.
 */
export function topicName(prefix: string, list: WatchlistId, endpoint: Endpoint): string {
  return `${namesBeginWith(prefix, list)}${hashOf(endpointText(endpoint))}`;
}

/** A pattern of the names of all topics of a list. */
export function topicNames(prefix: string, list: WatchlistId): string {
  return `${namesBeginWith(prefix, list)}*`;
}

/** Distinguishes an endpoint from all others. */
export function endpointText({ protocol, endpoint }: Endpoint): string {
  return `${protocol} ${endpoint}`;
}

function namesBeginWith(prefix: string, { tenant, id }: WatchlistId): string {
  return `${prefix}${hashOf(`${tenant} ${id}`)}-`;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
