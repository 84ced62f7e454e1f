import type { APIGatewayProxyEvent } from 'aws-lambda';
import { answer } from '#shared/http/answer.ts';
import { pageOf, toCursor } from '#shared/http/cursor.ts';
import { readQuery } from '#shared/http/request.ts';
import { existingWatchlist } from './existing-watchlist.ts';
import type { ManageWatchlistsPorts } from './ports.ts';
import { alertView } from './views.ts';

/** What a list has told, newest first. */
export async function listAlerts(ports: ManageWatchlistsPorts, event: APIGatewayProxyEvent) {
  const { tenant, id } = await existingWatchlist(ports, event, 'read');
  const { limit, cursor } = readQuery(event, pageOf('ALERT#'));
  const { entries, next } = await ports.alertsOf({ tenant, id }, limit, cursor);
  return answer(200, {
    alerts: entries.map(alertView),
    cursor: next === undefined ? null : toCursor(next),
  });
}
