import { MINUTE, momentOf } from '#shared/domain/market/instant.ts';
import { answer } from '#shared/http/answer.ts';
import { toCursor } from '#shared/http/cursor.ts';
import { watchedContracts } from '#shared/http/own-contracts.ts';
import { unreadableView } from '#shared/http/page-view.ts';
import { type Request, route } from '#shared/http/route.ts';
import type { Overview } from './answers/overview.ts';
import { readOverview } from './overview.ts';
import type { ManageWatchlistsPorts } from './ports.ts';
import { OverviewQuery } from './requests.ts';

/** The operation on the overview of a tenant's contracts. */
export const overviewRoutes = {
  'GET /v1/overview': route(
    { scope: 'view', units: 'readAllLists', query: OverviewQuery },
    getOverview,
  ),
};

async function getOverview(
  ports: ManageWatchlistsPorts,
  { caller: { tenant }, query: { limit, cursor } }: Request<OverviewQuery>,
) {
  const [watched, progress] = await Promise.all([
    watchedContracts(ports, tenant),
    ports.getProgress(),
  ]);
  const behind = watched.entries.filter(
    ({ contract }) => cursor === undefined || contract > cursor,
  );
  const page = behind.slice(0, limit);
  const last = page.length < behind.length ? page.at(-1) : undefined;
  const { counts, contracts, unreadable } = await readOverview(ports, tenant, page);
  return answer<Overview>(200, {
    counts,
    checkedAt: momentOf(progress && progress.polledUntil * MINUTE),
    contracts,
    cursor: last === undefined ? null : toCursor(last.contract),
    unreadable: [...watched.unreadable, ...unreadable].map(unreadableView),
  });
}
