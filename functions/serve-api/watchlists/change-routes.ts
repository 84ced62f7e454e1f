import type { Change } from '#shared/domain/watchlists/change.ts';
import { differencesBetween } from '#shared/domain/watchlists/list-document.ts';
import { answer } from '#shared/http/answer.ts';
import { toCursor } from '#shared/http/cursor.ts';
import { filledView } from '#shared/http/page-view.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { pathOf } from '#shared/http/request.ts';
import { type Request, route } from '#shared/http/route.ts';
import { fillPage } from '#shared/use-cases/fill-page.ts';
import type { ChangePage, ChangeRead } from './answers/changes.ts';
import type { ManageWatchlistsPorts } from './ports.ts';
import { ChangePath, ChangesQuery } from './requests.ts';
import { changeView } from './views.ts';

/** The operations on the audit log of the tenant. */
export const changeRoutes = {
  'GET /v1/changes': route({ scope: 'read', units: 'read', query: ChangesQuery }, listChanges),
  'GET /v1/changes/{change}': route({ scope: 'read', units: 'read' }, getChange),
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
  const page = await fillPage(read, async (changes) => changes.filter(isMeant), {
    ...{ limit, after: cursor },
    placeOf: ({ id }) => `CHANGE#${id}`,
  });
  return answer<ChangePage>(200, {
    changes: page.entries.map(changeView),
    cursor: page.next === undefined ? null : toCursor(page.next),
    ...filledView(page),
  });
}

/** A change, with the list after it and the differences from the list before it. */
async function getChange(ports: ManageWatchlistsPorts, { event, caller: { tenant } }: Request) {
  const path = ChangePath.safeParse(pathOf(event));
  const id = path.data?.change;
  const change = id === undefined ? undefined : await ports.getChange({ tenant, id });
  if (change === undefined) {
    throw new ProblemError('there is no such change', { type: 'not_found' });
  }
  const changed = await ports.getChangedDocument({ tenant, id: change.id });
  const previous = changed?.previous;
  const before =
    previous === undefined ? undefined : await ports.getChangedDocument({ tenant, id: previous });
  const isKnown = changed !== undefined && (previous === undefined || before !== undefined);
  return answer<ChangeRead>(200, {
    ...changeView(change),
    document: changed?.document ?? null,
    differences: isKnown ? differencesBetween(before?.document, changed.document) : null,
  });
}
