import type { APIGatewayProxyResult } from 'aws-lambda';
import { ChannelKeyError } from '#shared/domain/channels/channel-secret.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { ContactPointError, QuotaError } from '#shared/domain/watchlists/quota-usage.ts';
import { RefusedMembersError } from '#shared/domain/watchlists/refused-members.ts';
import { withTag } from '#shared/http/entity-tag.ts';
import { type Attempt, idempotently } from '#shared/http/idempotency.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { type HttpEvent, invalidMembers } from '#shared/http/request.ts';
import { type Route, type Routes, routeOf } from '#shared/http/route.ts';
import { alertRoutes } from './alert-routes.ts';
import { changeRoutes } from './change-routes.ts';
import { muteRoutes } from './mute-routes.ts';
import { overviewRoutes } from './overview-routes.ts';
import { partRoutes } from './part-routes.ts';
import type { ManageWatchlistsPorts } from './ports.ts';
import { pushRoutes } from './push-routes.ts';
import { usageRoutes } from './usage-routes.ts';
import { valueRoutes } from './value-routes.ts';
import { watchRoutes } from './watch-routes.ts';
import { wholeListRoutes } from './watchlist-routes.ts';

/**
 * The operations by method and path, on watchlists and their parts, contact points, watches,
 * alerts, mutes, the overview, the audit log, usage, and the key for Web Push. `manage-channels`
 * has the operations on the states of channels.
 */
export const watchlistRoutes = {
  ...wholeListRoutes,
  ...partRoutes,
  ...watchRoutes,
  ...overviewRoutes,
  ...alertRoutes,
  ...muteRoutes,
  ...changeRoutes,
  ...usageRoutes,
  ...valueRoutes,
  ...pushRoutes,
} satisfies Routes<ManageWatchlistsPorts, TimedAttempt>;

/** An execution of a request, with the signal of its deadline. */
type TimedAttempt = Attempt & { readonly signal: AbortSignal };

/** Finds the route of a request, checks the request, and answers it. */
export async function manageWatchlists(
  ports: ManageWatchlistsPorts,
  event: HttpEvent,
  signal: AbortSignal,
): Promise<APIGatewayProxyResult> {
  const answer = routeOf<Route<ManageWatchlistsPorts, TimedAttempt>>(watchlistRoutes, event).check(
    event,
  );
  const work = async (attempt: Attempt) => {
    try {
      return await answer(ports, { ...attempt, signal });
    } catch (error) {
      throw asProblem(error);
    }
  };
  return withTag(event, await idempotently(ports, event, work));
}

/** Converts an error that prevents a change to a problem. Returns other errors unchanged. */
function asProblem(error: unknown): unknown {
  if (error instanceof VersionConflictError) {
    const detail =
      'another request changed the watchlist at the same time; read it again and repeat the change';
    return new ProblemError(detail, { type: 'conflict', cause: error });
  }
  if (error instanceof UnreadableError) {
    const detail = `another version of the stack wrote an item that this version cannot read (${error.reason}); ask the operator to deploy the version that wrote it`;
    return new ProblemError(detail, { type: 'unreadable', cause: error });
  }
  if (error instanceof QuotaError) {
    return new ProblemError(error.message, { type: 'quota_exceeded', cause: error });
  }
  if (error instanceof ContactPointError) {
    return new ProblemError(error.message, { type: error.code, cause: error });
  }
  if (error instanceof RefusedMembersError) {
    return invalidMembers(error.issues);
  }
  if (error instanceof ChannelKeyError) {
    const detail =
      'channel secrets cannot be stored at the moment, so nothing was changed. The operators have been notified. Try again later.';
    return new ProblemError(detail, { type: 'secrets_unavailable', cause: error });
  }
  return error;
}
