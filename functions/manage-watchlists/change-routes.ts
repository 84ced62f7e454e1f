import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Change } from '#shared/domain/watchlists/change.ts';
import { answer } from '#shared/http/answer.ts';
import { callerOf } from '#shared/http/caller.ts';
import { toCursor } from '#shared/http/cursor.ts';
import { readQuery } from '#shared/http/request.ts';
import type { ManageWatchlistsPorts } from './ports.ts';
import { madeOf } from './record-change.ts';
import { ChangesQuery } from './requests.ts';
import { changeView } from './views.ts';

/** A page looks through so many pages of the trail; where it found too little, its cursor goes on. */
const MOST_LOOKS = 10;

/** Who has changed what, newest first. */
export async function listChanges(ports: ManageWatchlistsPorts, event: APIGatewayProxyEvent) {
  const { tenant } = callerOf(event, 'read');
  const { limit, cursor, watchlist } = readQuery(event, ChangesQuery);
  const changes: Change[] = [];
  let next = cursor;
  for (let look = 1; look <= MOST_LOOKS && changes.length < limit; look += 1) {
    const page = await ports.changesOf(tenant, limit - changes.length, next);
    const meant = page.entries.filter(
      (change) => watchlist === undefined || change.watchlist === watchlist,
    );
    changes.push(
      ...(await madeOf(
        ports,
        meant.map((change) => ({ ...change, tenant })),
      )),
    );
    next = page.next;
    if (next === undefined) break;
  }
  return answer(200, {
    changes: changes.map(changeView),
    cursor: next === undefined ? null : toCursor(next),
  });
}
