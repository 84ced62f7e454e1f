import type { Change } from '#shared/domain/watchlists/change.ts';
import { answer } from '#shared/http/answer.ts';
import { toCursor } from '#shared/http/cursor.ts';
import { filledView } from '#shared/http/page-view.ts';
import { type Request, route } from '#shared/http/route.ts';
import { fillPage } from '#shared/use-cases/fill-page.ts';
import { madeOf } from '#shared/use-cases/record-change.ts';
import type { ManageWatchlistsPorts } from './ports.ts';
import { ChangesQuery } from './requests.ts';
import { changeView } from './views.ts';

/** The audit log of the tenant. */
export const changeRoutes = {
  'GET /v1/changes': route({ scope: 'read', units: 'read', query: ChangesQuery }, listChanges),
};

/** The tenant's audit log, newest first. */
async function listChanges(
  ports: ManageWatchlistsPorts,
  { caller: { tenant }, query: { limit, cursor, watchlist } }: Request<ChangesQuery>,
) {
  const isMeant = (change: Change) => watchlist === undefined || change.watchlist === watchlist;
  const read = async (most: number, after: string | undefined) => {
    const found = await ports.changesOf(tenant, most, after);
    return { ...found, entries: found.entries.map((change) => ({ ...change, tenant })) };
  };
  const page = await fillPage(read, (changes) => madeOf(ports, changes.filter(isMeant)), {
    ...{ limit, after: cursor },
    placeOf: ({ id }) => `CHANGE#${id}`,
  });
  return answer(200, {
    changes: page.entries.map(changeView),
    cursor: page.next === undefined ? null : toCursor(page.next),
    ...filledView(page),
  });
}
