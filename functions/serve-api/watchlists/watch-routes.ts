import { isSourceWatch, type WatchId } from '#shared/domain/evaluation/watch.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { isOfHoldings, isOn } from '#shared/domain/rules/alert-rule.ts';
import { watchedMembers } from '#shared/domain/watchlists/value-member.ts';
import { rulesOn, type Watchlist } from '#shared/domain/watchlists/watchlist.ts';
import { answer } from '#shared/http/answer.ts';
import { startOfPage, toBoundCursor, toCursor } from '#shared/http/cursor.ts';
import { existingWatchlist } from '#shared/http/existing-watchlist.ts';
import { watchedContracts } from '#shared/http/own-contracts.ts';
import { filledView, unreadableView } from '#shared/http/page-view.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { invalidParameter, pathOf } from '#shared/http/request.ts';
import { type Request, route } from '#shared/http/route.ts';
import { paceOfTenant } from '#shared/use-cases/pace-of-tenant.ts';
import { tryRead } from '#shared/use-cases/try-read.ts';
import { type FoundWatch, findNearest, findWatches, foundWatchView } from './all-watches.ts';
import type {
  AnyWatchPage,
  WatchExplanation,
  WatchPage,
  WatchRead,
  WatchToCome,
} from './answers/watches.ts';
import { explainWatch } from './explain-watch.ts';
import type { ManageWatchlistsPorts } from './ports.ts';
import { contractView, silencesOf } from './read-watches.ts';
import { AllWatchesQuery, WatchesQuery, WatchPath } from './requests.ts';
import { watchView } from './watch-view.ts';

/** The operations on watches, by method and path. */
export const watchRoutes = {
  'GET /v1/watches': route(
    { scope: 'view', units: 'readAllLists', query: AllWatchesQuery },
    listAllWatches,
  ),
  'GET /v1/watchlists/{watchlist}/watches': route(
    { scope: 'read', units: 'read', query: WatchesQuery },
    listWatches,
  ),
  'GET /v1/watchlists/{watchlist}/watches/{contract}/{rule}': route(
    { scope: 'read', units: 'read' },
    getWatch,
  ),
  'GET /v1/watchlists/{watchlist}/watches/{contract}/{rule}/explain': route(
    { scope: 'read', units: 'read' },
    explain,
  ),
};

/** The watches of a list, contract by contract. */
async function listWatches(ports: ManageWatchlistsPorts, request: Request<WatchesQuery>) {
  const list = await existingWatchlist(ports, request);
  const { cursor } = request.query;
  const watched = watchedMembers(list);
  const start = watched.findIndex(({ contract }) => contract === cursor) + 1;
  if (cursor !== undefined && start === 0) {
    const detail =
      'expected a cursor for the current revision of the watchlist; start again without a cursor';
    throw new ProblemError(`?cursor: ${detail}`, {
      type: 'invalid_request',
      issues: [{ pointer: '?cursor', detail }],
    });
  }
  const members = watched.slice(start, start + LIMITS.answer.contracts);
  const silences = await silencesOf(ports, list);
  const pages = await Promise.all(
    members.map(async ({ contract }) => {
      const [{ entries, unreadable }, known] = await Promise.all([
        ports.watchesOfList({ tenant: list.tenant, list: list.id }, contract),
        tryRead({ kind: 'contract', id: contract }, () => ports.getContract(contract)),
      ]);
      if (known.unreadable) return { watches: [], unreadable: [...unreadable, known.unreadable] };
      const view = await contractView(ports, known.found, entries);
      const shown = entries.filter((watch) => !isSourceWatch(watch));
      const watches = shown.map((watch) => watchView(watch, view, silences(watch)));
      return { watches, unreadable };
    }),
  );
  const last = members.at(-1);
  const more = start + LIMITS.answer.contracts < watched.length && last !== undefined;
  return answer<WatchPage>(200, {
    watches: pages.flatMap(({ watches }) => watches),
    cursor: more ? toCursor(last.contract) : null,
    unreadable: pages.flatMap(({ unreadable }) => unreadable).map(unreadableView),
  });
}

/** One watch of a list, in the same format as `listWatches`. */
async function getWatch(ports: ManageWatchlistsPorts, request: Request) {
  const found = await findWatch(ports, request);
  if (found.watch === undefined) return answer<WatchToCome>(200, toCome(found));
  return answer<WatchRead>(200, watchView(found.watch, found.view, found.silence));
}

/** Explains why one watch of a list is silent. */
async function explain(ports: ManageWatchlistsPorts, request: Request) {
  const [found, pace] = await Promise.all([
    findWatch(ports, request),
    paceOfTenant(ports, request.caller.tenant),
  ]);
  if (found.watch === undefined) return answer<WatchToCome>(200, toCome(found));
  return answer<WatchExplanation>(200, explainWatch(found.watch, found.view, found.silence, pace));
}

function toCome({ rule, contract }: Pick<WatchId, 'rule' | 'contract'>): WatchToCome {
  const why =
    'The latest change of the list is still being applied to this contract. Try again in a minute.';
  return { rule, contract, state: null, why };
}

/**
 * The watch in the path with the state of its contract. `watch` is undefined until the watch is
 * created.
 */
async function findWatch(ports: ManageWatchlistsPorts, request: Request) {
  const list = await existingWatchlist(ports, request);
  const path = WatchPath.safeParse(pathOf(request.event));
  const isOfList =
    path.success && rulesOn(list, path.data.contract).some(({ id }) => id === path.data.rule);
  if (!isOfList) throw new ProblemError(whyNoWatch(list, path.data), { type: 'not_found' });
  const { contract, rule } = path.data;
  const [watch, record, silences] = await Promise.all([
    ports.getWatch({ tenant: list.tenant, list: list.id, contract, rule }),
    ports.getContract(contract),
    silencesOf(ports, list),
  ]);
  if (watch === undefined) return { rule, contract };
  const view = await contractView(ports, record, [watch]);
  return { rule, contract, watch, view, silence: silences(watch) };
}

/** Explains why a list lacks a watch of a rule on a contract. */
function whyNoWatch(list: Watchlist, path: Partial<Pick<WatchId, 'contract' | 'rule'>> = {}) {
  const rule = list.rules.find(({ id }) => id === path.rule);
  const member = list.members.find(({ contract }) => contract === path.contract);
  const lacksCost = rule !== undefined && isOfHoldings(rule) && member && !member.cost;
  return lacksCost && isOn(rule.on, member.contract)
    ? 'there is no such watch: the rule compares the price with a cost, and the contract has none; add a "cost" to the contract in the list'
    : 'there is no such watch';
}

/** The watches of selected lists (by default all), sorted by contract or by distance. */
async function listAllWatches(
  ports: ManageWatchlistsPorts,
  { event, caller: { tenant }, query }: Request<AllWatchesQuery>,
) {
  const { limit, cursor, sort, ...filter } = query;
  const { after, question } = startOfPage(event, filter, cursor);
  const watched = await watchedContracts(ports, tenant);
  const contracts = watched.entries
    .map((one) => ({ ...one, watchlists: one.watchlists.filter(isOneOf(filter.watchlist)) }))
    .filter(({ contract, watchlists }) => {
      return watchlists.length > 0 && isOneOf(filter.contract)(contract);
    });
  const isState = isOneOf<string>(filter.state);
  const isWanted = ({ status }: FoundWatch) => isState(status);
  const page =
    sort === 'contract'
      ? await findWatches(ports, tenant, contracts, isWanted, { limit, after })
      : await findNearest(ports, tenant, fewEnough(contracts, cursor), isWanted, limit);
  const unreadable = [...watched.unreadable, ...page.unreadable];
  return answer<AnyWatchPage>(200, {
    watches: page.entries.map(foundWatchView),
    cursor: page.next === undefined ? null : toBoundCursor(page.next, question),
    ...filledView({ ...page, unreadable }),
  });
}

function isOneOf<Value>(wanted: readonly Value[] | undefined): (value: Value) => boolean {
  return (value) => wanted?.includes(value) ?? true;
}

/**
 * Limits the contracts of a request for the nearest watches, because all watches of these contracts
 * are read.
 */
function fewEnough<Contract>(contracts: readonly Contract[], cursor: string | undefined) {
  if (cursor !== undefined) {
    throw invalidParameter(
      'cursor',
      'expected no cursor with "sort=distance", which has only one page',
    );
  }
  const most = LIMITS.watchlist.contracts;
  if (contracts.length <= most) return contracts;
  const detail = `expected at most ${most} contracts to sort, found ${contracts.length}; select fewer with "watchlist" or "contract"`;
  throw invalidParameter('sort', detail);
}
