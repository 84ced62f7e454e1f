import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { ChannelKeyError } from '#shared/domain/channels/channel-secret.ts';
import { ChannelsError } from '#shared/domain/channels/keep-channels.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { QuotaError } from '#shared/domain/watchlists/quota-usage.ts';
import { withTag } from '#shared/http/entity-tag.ts';
import { idempotently, type Origin } from '#shared/http/idempotency.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { invalidMembers, refuseParameters } from '#shared/http/request.ts';
import { acknowledgeAlert, getAlert, listAlerts, listAllAlerts } from './alert-routes.ts';
import { listChanges } from './change-routes.ts';
import { createMute, deleteMute, getMute, listMutes } from './mute-routes.ts';
import { channels, contracts, rules } from './part-routes.ts';
import type { ManageWatchlistsPorts } from './ports.ts';
import { getUsage } from './usage-routes.ts';
import { explain, getWatch, listWatches } from './watch-routes.ts';
import {
  createWatchlist,
  exportWatchlist,
  getWatchlist,
  listWatchlists,
  putWatchlist,
  removeWatchlist,
} from './watchlist-routes.ts';

type Event = APIGatewayProxyEvent;
type Route = (
  ports: ManageWatchlistsPorts,
  event: Event,
  origin: Origin,
) => Promise<APIGatewayProxyResult>;

/**
 * The handlers by method and path: `/v1/watchlists` apart from the state of channels, all alerts,
 * the audit log, and usage.
 */
export const watchlistRoutes: Readonly<Record<string, Route>> = {
  'GET /v1/watchlists': listWatchlists,
  'POST /v1/watchlists': createWatchlist,
  'GET /v1/watchlists/{watchlist}': getWatchlist,
  'PUT /v1/watchlists/{watchlist}': putWatchlist,
  'DELETE /v1/watchlists/{watchlist}': removeWatchlist,
  'GET /v1/watchlists/{watchlist}/export': exportWatchlist,
  'GET /v1/watchlists/{watchlist}/contracts': contracts.list,
  'POST /v1/watchlists/{watchlist}/contracts': contracts.create,
  'GET /v1/watchlists/{watchlist}/contracts/{contract}': contracts.get,
  'PUT /v1/watchlists/{watchlist}/contracts/{contract}': contracts.put,
  'DELETE /v1/watchlists/{watchlist}/contracts/{contract}': contracts.remove,
  'GET /v1/watchlists/{watchlist}/rules': rules.list,
  'POST /v1/watchlists/{watchlist}/rules': rules.create,
  'GET /v1/watchlists/{watchlist}/rules/{rule}': rules.get,
  'PUT /v1/watchlists/{watchlist}/rules/{rule}': rules.put,
  'DELETE /v1/watchlists/{watchlist}/rules/{rule}': rules.remove,
  'POST /v1/watchlists/{watchlist}/channels': channels.create,
  'PUT /v1/watchlists/{watchlist}/channels/{channel}': channels.put,
  'DELETE /v1/watchlists/{watchlist}/channels/{channel}': channels.remove,
  'GET /v1/watchlists/{watchlist}/watches': listWatches,
  'GET /v1/watchlists/{watchlist}/watches/{contract}/{rule}': getWatch,
  'GET /v1/watchlists/{watchlist}/watches/{contract}/{rule}/explain': explain,
  'GET /v1/alerts': listAllAlerts,
  'GET /v1/watchlists/{watchlist}/alerts': listAlerts,
  'GET /v1/watchlists/{watchlist}/alerts/{alert}': getAlert,
  'POST /v1/watchlists/{watchlist}/alerts/{alert}/acknowledge': acknowledgeAlert,
  'GET /v1/changes': listChanges,
  'GET /v1/usage': getUsage,
  'GET /v1/watchlists/{watchlist}/mutes': listMutes,
  'POST /v1/watchlists/{watchlist}/mutes': createMute,
  'GET /v1/watchlists/{watchlist}/mutes/{mute}': getMute,
  'DELETE /v1/watchlists/{watchlist}/mutes/{mute}': deleteMute,
};

const WITH_QUERY = new Set<Route>([
  listWatchlists,
  putWatchlist,
  listWatches,
  listAlerts,
  listAllAlerts,
  listChanges,
]);

/** Answers a request by its route. */
export async function manageWatchlists(
  ports: ManageWatchlistsPorts,
  event: Event,
): Promise<APIGatewayProxyResult> {
  const route = watchlistRoutes[`${event.httpMethod} ${event.resource}`];
  if (route === undefined) throw new ProblemError('there is no such path', { type: 'not_found' });
  if (!WITH_QUERY.has(route)) refuseParameters(event);
  const work = async (origin: Origin) => {
    try {
      return await route(ports, event, origin);
    } catch (error) {
      throw asProblem(error);
    }
  };
  return withTag(event, await idempotently(ports, event, work));
}

/** The problem for an error that keeps a list from being changed; other errors as they are. */
function asProblem(error: unknown): unknown {
  if (error instanceof VersionConflictError) {
    const detail = 'read the watchlist again and repeat the change';
    return new ProblemError(detail, { type: 'conflict', cause: error });
  }
  if (error instanceof UnreadableError) {
    const detail = `another version of the stack has written part of it: ${error.reason}`;
    return new ProblemError(detail, { type: 'unreadable', cause: error });
  }
  if (error instanceof QuotaError) {
    return new ProblemError(error.message, { type: 'quota_exceeded', cause: error });
  }
  if (error instanceof ChannelsError) {
    return invalidMembers(error.issues);
  }
  if (error instanceof ChannelKeyError) {
    const detail = 'nothing was changed; the operators of the stack have been informed';
    return new ProblemError(detail, { type: 'secrets_unavailable', cause: error });
  }
  return error;
}
