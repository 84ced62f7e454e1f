import {
  type Acknowledgement,
  AcknowledgementBody,
} from '#shared/domain/alerting/acknowledgement.ts';
import type { AlertRecord } from '#shared/domain/channels/alert-record.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { CONTACT_POINTS } from '#shared/domain/watchlists/contact-points.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { answer } from '#shared/http/answer.ts';
import type { CallerTenant, Own } from '#shared/http/caller.ts';
import { csvAnswer } from '#shared/http/csv-answer.ts';
import { startOfPage, toBoundCursor } from '#shared/http/cursor.ts';
import { existingWatchlist } from '#shared/http/existing-watchlist.ts';
import type { Attempt } from '#shared/http/idempotency.ts';
import { filledView } from '#shared/http/page-view.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { type HttpEvent, invalidParameter, linkTo, pathOf } from '#shared/http/request.ts';
import { type Request, route } from '#shared/http/route.ts';
import { acknowledgeEpisode, watchInEpisodeOf } from '#shared/use-cases/acknowledge-episode.ts';
import { ALERT_COLUMNS, EPISODE_COLUMNS } from './alert-columns.ts';
import type { AlertPage, AlertRead, EpisodePage, EpisodeRead } from './answers/alerts.ts';
import { episodeView } from './episode-view.ts';
import { ALERTS, findAlerts } from './find-alerts.ts';
import { createEpisodeReader, findEpisodes } from './find-episodes.ts';
import type { ManageWatchlistsPorts } from './ports.ts';
import { AlertsQuery, AllAlertsQuery, EpisodesQuery } from './requests.ts';
import { alertView, type Link } from './views.ts';

/** The operations on alerts and episodes, by method and path. */
export const alertRoutes = {
  'GET /v1/alerts': route(
    { scope: 'view', units: 'readAllLists', query: AllAlertsQuery },
    listAllAlerts,
  ),
  'GET /v1/alerts/{alert}': route({ scope: 'read', units: 'read' }, getAlertOfContactPoints),
  'GET /v1/watchlists/{watchlist}/alerts': route(
    { scope: 'read', units: 'read', query: AlertsQuery },
    listAlerts,
  ),
  'GET /v1/watchlists/{watchlist}/alerts/{alert}': route(
    { scope: 'read', units: 'read' },
    getAlert,
  ),
  'GET /v1/episodes': route(
    { scope: 'view', units: 'readAllLists', query: EpisodesQuery },
    listEpisodes,
  ),
  'GET /v1/watchlists/{watchlist}/alerts/{alert}/episode': route(
    { scope: 'read', units: 'read' },
    getEpisode,
  ),
  'POST /v1/watchlists/{watchlist}/alerts/{alert}/acknowledge': route(
    { scope: 'write', units: 'change', body: AcknowledgementBody.optional() },
    acknowledgeAlert,
  ),
};

/** The alerts of a list, newest first. */
async function listAlerts(ports: ManageWatchlistsPorts, request: Request<AlertsQuery>) {
  const { tenant, id } = await existingWatchlist(ports, request);
  return await alertsAnswer(ports, request.event, [{ tenant, id }], request.query);
}

/**
 * The alerts of selected lists, newest first; by default the alerts of all lists and of contact
 * points.
 */
async function listAllAlerts(
  ports: ManageWatchlistsPorts,
  { event, caller: { tenant }, query }: Request<AllAlertsQuery>,
) {
  const lists = await listsAskedFor(ports, tenant, query, [CONTACT_POINTS]);
  return await alertsAnswer(ports, event, lists, query);
}

/** The episodes of selected lists, newest first; by default of all lists. */
async function listEpisodes(
  ports: ManageWatchlistsPorts,
  { event, caller: { tenant }, query }: Request<EpisodesQuery>,
) {
  const { limit, filter, after, question } = pageAskedFor(event, query);
  const lists = await listsAskedFor(ports, tenant, query);
  const found = await findEpisodes(ports, lists, filter, { limit, after });
  const episodes = found.episodes.map((episode) => episodeView(linksOf(event), episode));
  const cursor = found.next === undefined ? null : toBoundCursor(found.next, question);
  const page = { cursor, ...filledView({ ...found, entries: [] }) };
  return query.format === 'csv'
    ? csvAnswer(event, 'episodes', EPISODE_COLUMNS, episodes, page)
    : answer<EpisodePage>(200, { episodes, ...page });
}

async function listsAskedFor(
  ports: ManageWatchlistsPorts,
  tenant: CallerTenant,
  { watchlist }: Pick<AllAlertsQuery, 'watchlist'>,
  beside: readonly string[] = [],
): Promise<readonly Own<WatchlistId>[]> {
  const { lists } = await ports.getQuotaUsage(tenant);
  const all = [...lists.map(({ list }) => list), ...beside];
  const asked = all.filter((list) => watchlist?.includes(list) ?? true);
  return asked.map((id) => ({ tenant, id }));
}

type PageQuery = Pick<AlertsQuery, 'limit' | 'cursor' | 'format' | 'from' | 'to'>;

/** The filter and the start of a page of alerts. Rejects a cursor from another query. */
function pageAskedFor<Query extends PageQuery>(
  event: HttpEvent,
  { limit, cursor, format: _, ...filter }: Query,
) {
  const { from = '', to = '9999' } = filter;
  if (to < from) throw invalidParameter('to', 'expected a time that is not before "from"');
  const start = startOfPage(event, filter, cursor, (place) => isBetween(place, from, to));
  return { limit, filter, ...start };
}

async function alertsAnswer(
  ports: ManageWatchlistsPorts,
  event: HttpEvent,
  lists: readonly Own<WatchlistId>[],
  query: AlertsQuery,
) {
  const { limit, filter, after, question } = pageAskedFor(event, query);
  const read = await findAlerts(ports, lists, filter, { limit, after });
  const named = new Set(read.entries.map(({ alert }) => alert.watchlist));
  const found = await Promise.all(
    lists.filter(({ id }) => named.has(id)).map((list) => ports.acknowledgementsOf(list)),
  );
  const acknowledged = found.flatMap(({ entries }) => entries);
  const unreadable = [...read.unreadable, ...found.flatMap((some) => some.unreadable)];
  const alerts = read.entries.map((record) => alertView(linksOf(event), record, acknowledged));
  const cursor = read.next === undefined ? null : toBoundCursor(read.next, question);
  const page = { cursor, ...filledView({ ...read, unreadable }) };
  return query.format === 'csv'
    ? csvAnswer(event, 'alerts', ALERT_COLUMNS, alerts, page)
    : answer<AlertPage>(200, { alerts, ...page });
}

function isBetween(place: string, from: string, to: string): boolean {
  if (!place.startsWith(ALERTS)) return false;
  const at = place.slice(ALERTS.length);
  return at >= from && at <= `${to}~`;
}

/** One alert and its deliveries. */
async function getAlert(ports: ManageWatchlistsPorts, request: Request) {
  const list = await existingWatchlist(ports, request);
  const record = await existingAlert(ports, request.event, list);
  const { entries } = await ports.acknowledgementsOf({ tenant: list.tenant, id: list.id });
  return answer<AlertRead>(200, alertView(linksOf(request.event), record, entries));
}

/** The episode of an alert. */
async function getEpisode(ports: ManageWatchlistsPorts, request: Request) {
  const list = await existingWatchlist(ports, request);
  const record = await existingAlert(ports, request.event, list);
  const read = createEpisodeReader(ports, list.tenant, ({ kind, id, reason }) => {
    throw new UnreadableError(`the ${kind} "${id}"`, reason);
  });
  const episode = await read(record);
  if (episode === undefined) {
    throw new ProblemError('this alert does not belong to an episode', { type: 'not_found' });
  }
  return answer<EpisodeRead>(200, episodeView(linksOf(request.event), episode));
}

/** One alert about a contact point, which does not belong to a list. */
async function getAlertOfContactPoints(
  ports: ManageWatchlistsPorts,
  { event, caller: { tenant } }: Request,
) {
  const record = await existingAlert(ports, event, { tenant, id: CONTACT_POINTS });
  return answer<AlertRead>(200, alertView(linksOf(event), record, []));
}

/** Silences the reminders of the alert's episode, and on request also its worsening alerts. */
async function acknowledgeAlert(
  ports: ManageWatchlistsPorts,
  request: Request<unknown, AcknowledgementBody | undefined>,
  { keep }: Attempt,
) {
  const list = await existingWatchlist(ports, request);
  const record = await existingAlert(ports, request.event, list);
  const { key, tenant } = request.caller;
  const episode = await watchInEpisodeOf(ports, { ...record.alert, tenant });
  if (episode === undefined) {
    throw new ProblemError('the alert has no open episode, so there is nothing to acknowledge', {
      type: 'episode_over',
    });
  }
  const answered = (made: Acknowledgement) =>
    answer<AlertRead>(200, alertView(linksOf(request.event), record, [made]));
  const acknowledgement = await acknowledgeEpisode(
    ports,
    key,
    record.alert,
    episode,
    request.body ?? {},
    (made) => keep(answered(made)),
  );
  return answered(acknowledgement);
}

function linksOf(event: HttpEvent): Link {
  return (path) => linkTo(event, path);
}

/** The alert in the path, `<at>~<id>`. */
async function existingAlert(
  ports: ManageWatchlistsPorts,
  event: HttpEvent,
  { tenant, id: watchlist }: Own<WatchlistId>,
): Promise<AlertRecord> {
  const [, at, id] = /^([^~]{1,40})~(.{1,200})$/.exec(pathOf(event).alert ?? '') ?? [];
  const record =
    at === undefined || id === undefined
      ? undefined
      : await ports.getAlert({ tenant, watchlist, at, id });
  if (record !== undefined) return record;
  throw new ProblemError('there is no such alert', { type: 'not_found' });
}
