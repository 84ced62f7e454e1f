import { createHash } from 'node:crypto';
import type { Endpoint } from '#shared/channels/channel-kind.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';

/**
 * The endpoints for which a list may have a topic. An endpoint is recorded before its topic is
 * created and removed after its topic is deleted, so even after a crash every topic is recorded.
 */
export type ListTopics = {
  readonly list: WatchlistId;
  readonly version: number;
  readonly endpoints: readonly Endpoint[];
};

/**
 * The name of a list's topic for one endpoint, with the stage as its prefix. Each endpoint has its
 * own topic. With a shared topic, it would take SNS up to 15 minutes to apply a changed filter
 * policy.
 */
export function topicName(prefix: string, list: WatchlistId, endpoint: Endpoint): string {
  return `${namesBeginWith(prefix, list)}${hashOf(endpointText(endpoint))}`;
}

/** A pattern that matches the names of all topics of a list. */
export function topicNames(prefix: string, list: WatchlistId): string {
  return `${namesBeginWith(prefix, list)}*`;
}

/** Identifies an endpoint. */
export function endpointText({ protocol, endpoint }: Endpoint): string {
  return `${protocol} ${endpoint}`;
}

function namesBeginWith(prefix: string, { tenant, id }: WatchlistId): string {
  return `${prefix}${hashOf(`${tenant} ${id}`)}-`;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
