import type { APIGatewayProxyResult } from 'aws-lambda';
import { ChannelBody } from '#shared/channels/channel-body.ts';
import { ChannelsError } from '#shared/channels/keep-channels.ts';
import { AcknowledgementBody } from '#shared/domain/alerting/acknowledgement.ts';
import { ChannelKeyError } from '#shared/domain/channels/channel-secret.ts';
import { AlertRule } from '#shared/domain/rules/alert-rule.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { MuteBody } from '#shared/domain/watchlists/mute.ts';
import { QuotaError } from '#shared/domain/watchlists/quota-usage.ts';
import { MemberBody, WatchlistBody } from '#shared/domain/watchlists/watchlist-body.ts';
import { withTag } from '#shared/http/entity-tag.ts';
import { idempotently, type Origin } from '#shared/http/idempotency.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { type HttpEvent, invalidMembers } from '#shared/http/request.ts';
import { NOTHING, type Route, type Routes, route, routeOf } from '#shared/http/route.ts';
import { acknowledgeAlert, getAlert, listAlerts, listAllAlerts } from './alert-routes.ts';
import { listChanges } from './change-routes.ts';
import { createMute, deleteMute, getMute, listMutes } from './mute-routes.ts';
import { channels, contracts, rules } from './part-routes.ts';
import type { ManageWatchlistsPorts } from './ports.ts';
import {
  AlertsQuery,
  AllAlertsQuery,
  ChangesQuery,
  MemberReplacement,
  PutQuery,
  WatchesQuery,
  WatchlistsQuery,
} from './requests.ts';
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

/**
 * The operations by method and path: `/v1/watchlists` apart from the state of channels, all alerts,
 * the audit log, and usage.
 */
export const watchlistRoutes = {
  'GET /v1/watchlists': route('read', { ...NOTHING, query: WatchlistsQuery }, listWatchlists),
  'POST /v1/watchlists': route('write', { ...NOTHING, body: WatchlistBody }, createWatchlist),
  'GET /v1/watchlists/{watchlist}': route('read', NOTHING, getWatchlist),
  'PUT /v1/watchlists/{watchlist}': route(
    'write',
    { query: PutQuery, body: WatchlistBody },
    putWatchlist,
  ),
  'DELETE /v1/watchlists/{watchlist}': route('write', NOTHING, removeWatchlist),
  'GET /v1/watchlists/{watchlist}/export': route('read', NOTHING, exportWatchlist),
  'GET /v1/watchlists/{watchlist}/contracts': route('read', NOTHING, contracts.list),
  'POST /v1/watchlists/{watchlist}/contracts': route(
    'write',
    { ...NOTHING, body: MemberBody },
    contracts.create,
  ),
  'GET /v1/watchlists/{watchlist}/contracts/{contract}': route('read', NOTHING, contracts.get),
  'PUT /v1/watchlists/{watchlist}/contracts/{contract}': route(
    'write',
    { ...NOTHING, body: MemberReplacement },
    contracts.put,
  ),
  'DELETE /v1/watchlists/{watchlist}/contracts/{contract}': route(
    'write',
    NOTHING,
    contracts.remove,
  ),
  'GET /v1/watchlists/{watchlist}/rules': route('read', NOTHING, rules.list),
  'POST /v1/watchlists/{watchlist}/rules': route(
    'write',
    { ...NOTHING, body: AlertRule },
    rules.create,
  ),
  'GET /v1/watchlists/{watchlist}/rules/{rule}': route('read', NOTHING, rules.get),
  'PUT /v1/watchlists/{watchlist}/rules/{rule}': route(
    'write',
    { ...NOTHING, body: AlertRule },
    rules.put,
  ),
  'DELETE /v1/watchlists/{watchlist}/rules/{rule}': route('write', NOTHING, rules.remove),
  'POST /v1/watchlists/{watchlist}/channels': route(
    'write',
    { ...NOTHING, body: ChannelBody },
    channels.create,
  ),
  'PUT /v1/watchlists/{watchlist}/channels/{channel}': route(
    'write',
    { ...NOTHING, body: ChannelBody },
    channels.put,
  ),
  'DELETE /v1/watchlists/{watchlist}/channels/{channel}': route('write', NOTHING, channels.remove),
  'GET /v1/watchlists/{watchlist}/watches': route(
    'read',
    { ...NOTHING, query: WatchesQuery },
    listWatches,
  ),
  'GET /v1/watchlists/{watchlist}/watches/{contract}/{rule}': route('read', NOTHING, getWatch),
  'GET /v1/watchlists/{watchlist}/watches/{contract}/{rule}/explain': route(
    'read',
    NOTHING,
    explain,
  ),
  'GET /v1/alerts': route(
    'read',
    { ...NOTHING, query: AllAlertsQuery, units: 'readAllLists' },
    listAllAlerts,
  ),
  'GET /v1/watchlists/{watchlist}/alerts': route(
    'read',
    { ...NOTHING, query: AlertsQuery },
    listAlerts,
  ),
  'GET /v1/watchlists/{watchlist}/alerts/{alert}': route('read', NOTHING, getAlert),
  'POST /v1/watchlists/{watchlist}/alerts/{alert}/acknowledge': route(
    'write',
    { ...NOTHING, body: AcknowledgementBody.optional() },
    acknowledgeAlert,
  ),
  'GET /v1/changes': route('read', { ...NOTHING, query: ChangesQuery }, listChanges),
  'GET /v1/usage': route('read', NOTHING, getUsage),
  'GET /v1/watchlists/{watchlist}/mutes': route('read', NOTHING, listMutes),
  'POST /v1/watchlists/{watchlist}/mutes': route(
    'write',
    { ...NOTHING, body: MuteBody },
    createMute,
  ),
  'GET /v1/watchlists/{watchlist}/mutes/{mute}': route('read', NOTHING, getMute),
  'DELETE /v1/watchlists/{watchlist}/mutes/{mute}': route('write', NOTHING, deleteMute),
} satisfies Routes<ManageWatchlistsPorts, Origin>;

/** Answers a request by its route. */
export async function manageWatchlists(
  ports: ManageWatchlistsPorts,
  event: HttpEvent,
): Promise<APIGatewayProxyResult> {
  const answer = routeOf<Route<ManageWatchlistsPorts, Origin>>(watchlistRoutes, event).check(event);
  const work = async (origin: Origin) => {
    try {
      return await answer(ports, origin);
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
