import { LIMITS } from '#shared/domain/limits.ts';
import { answer } from '#shared/http/answer.ts';
import { placeIn, toBoundCursor } from '#shared/http/cursor.ts';
import { watchedContracts } from '#shared/http/own-contracts.ts';
import { filledView } from '#shared/http/page-view.ts';
import { invalidParameter } from '#shared/http/request.ts';
import { type Request, route } from '#shared/http/route.ts';
import { type FoundWatch, findNearest, findWatches, foundWatchView } from './all-watches.ts';
import type { ManageWatchlistsPorts } from './ports.ts';
import { AllWatchesQuery } from './requests.ts';

/** The watches of all lists of a tenant. */
export const allWatchRoutes = {
  'GET /v1/watches': route(
    { scope: 'read', units: 'readAllLists', query: AllWatchesQuery },
    listAllWatches,
  ),
};

/** The watches of all lists of a tenant, or of some: contract by contract, or the nearest first. */
async function listAllWatches(
  ports: ManageWatchlistsPorts,
  { caller: { tenant }, query }: Request<AllWatchesQuery>,
) {
  const { limit, cursor, sort, ...filter } = query;
  const question = JSON.stringify(filter);
  const after = cursor === undefined ? undefined : placeIn(cursor, question);
  if (cursor !== undefined && after === undefined) {
    throw invalidParameter('cursor', 'expected a cursor as an earlier answer to this gave it');
  }
  const watched = await watchedContracts(ports, tenant);
  const contracts = watched.entries
    .map((one) => ({ ...one, watchlists: one.watchlists.filter(isOneOf(filter.watchlist)) }))
    .filter(({ contract, watchlists }) => {
      return watchlists.length > 0 && isOneOf(filter.contract)(contract);
    });
  const isState = isOneOf<string>(filter.state);
  const isWanted = ({ standing }: FoundWatch) => isState(standing);
  const page =
    sort === 'contract'
      ? await findWatches(ports, tenant, contracts, isWanted, { limit, after })
      : await findNearest(ports, tenant, fewEnough(contracts, cursor), isWanted, limit);
  const unreadable = [...watched.unreadable, ...page.unreadable];
  return answer(200, {
    watches: page.entries.map(foundWatchView),
    cursor: page.next === undefined ? null : toBoundCursor(page.next, question),
    ...filledView({ ...page, unreadable }),
  });
}

function isOneOf<Value>(wanted: readonly Value[] | undefined): (value: Value) => boolean {
  return (value) => wanted?.includes(value) ?? true;
}

/** The nearest of all are found only by reading all. */
function fewEnough<Contract>(contracts: readonly Contract[], cursor: string | undefined) {
  if (cursor !== undefined) {
    throw invalidParameter(
      'cursor',
      'expected none with "sort=distance", which has no further pages',
    );
  }
  const most = LIMITS.watchlist.contracts;
  if (contracts.length <= most) return contracts;
  const detail = `expected at most ${most} contracts to be sorted, and these are ${contracts.length}; name some with "watchlist" or "contract"`;
  throw invalidParameter('sort', detail);
}
