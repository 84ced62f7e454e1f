import { isUndeliverable } from '#shared/domain/channels/channel-status.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { describeEdit } from '#shared/domain/watchlists/change.ts';
import {
  differencesBetween,
  documentOf,
  wholeDocumentOf,
} from '#shared/domain/watchlists/list-document.ts';
import { watchedMembers } from '#shared/domain/watchlists/value-member.ts';
import {
  restartedRules,
  type Watchlist,
  type WatchlistId,
} from '#shared/domain/watchlists/watchlist.ts';
import { WatchlistBody, WatchlistRequest } from '#shared/domain/watchlists/watchlist-body.ts';
import { named } from '#shared/domain/words.ts';
import { answer } from '#shared/http/answer.ts';
import type { CallerTenant, Own } from '#shared/http/caller.ts';
import { channelsUsedBy } from '#shared/http/channels-used-by.ts';
import { contractsByName, type FindContract } from '#shared/http/contracts-by-name.ts';
import { toCursor } from '#shared/http/cursor.ts';
import type { AnsweredMembers } from '#shared/http/described.ts';
import { expectMatch, expectMatchIfGiven, revisionHeader } from '#shared/http/entity-tag.ts';
import {
  existingWatchlist,
  readableWatchlist,
  WatchlistPath,
} from '#shared/http/existing-watchlist.ts';
import { foundCollections } from '#shared/http/find-collections.ts';
import type { Attempt } from '#shared/http/idempotency.ts';
import { ownContracts } from '#shared/http/own-contracts.ts';
import { filledView } from '#shared/http/page-view.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { checkDocument, invalidMembers, linkTo, readPath } from '#shared/http/request.ts';
import { type Request, route } from '#shared/http/route.ts';
import { fillPage } from '#shared/use-cases/fill-page.ts';
import { withRoomFor } from '#shared/use-cases/keep-quota-usage.ts';
import { paceOfTenant } from '#shared/use-cases/pace-of-tenant.ts';
import { readRunningMutes } from '#shared/use-cases/running-mutes.ts';
import type { ofChange } from './answers/forecast-of-change.ts';
import type {
  DryRun,
  WatchlistExport,
  WatchlistPage,
  WatchlistRead,
} from './answers/watchlists.ts';
import {
  answeredWith,
  deleteWatchlist,
  nextRevision,
  replaceWatchlist,
  type WrittenList,
} from './change-watchlist.ts';
import { forecastOfChange } from './forecast-of-change.ts';
import { lookUpCollection } from './look-up-collection.ts';
import type { ManageWatchlistsPorts } from './ports.ts';
import { PutQuery, WatchlistsQuery } from './requests.ts';
import { watchlistToReplace } from './salvage-watchlist.ts';
import { unknownContracts } from './unknown-contracts.ts';
import { editView, muteView, watchlistView } from './views.ts';

/** The operations on whole watchlists, by method and path. */
export const wholeListRoutes = {
  'GET /v1/watchlists': route(
    { scope: 'read', units: 'read', query: WatchlistsQuery },
    listWatchlists,
  ),
  'POST /v1/watchlists': route(
    { scope: 'write', units: 'change', body: WatchlistRequest },
    createWatchlist,
  ),
  'GET /v1/watchlists/{watchlist}': route({ scope: 'read', units: 'read' }, getWatchlist),
  'PUT /v1/watchlists/{watchlist}': route(
    { scope: 'write', units: 'change', query: PutQuery, body: WatchlistRequest },
    putWatchlist,
  ),
  'DELETE /v1/watchlists/{watchlist}': route({ scope: 'write', units: 'change' }, removeWatchlist),
  'GET /v1/watchlists/{watchlist}/export': route({ scope: 'read', units: 'read' }, exportWatchlist),
};

type Waiting = { readonly signal: AbortSignal };

/** The lists of a tenant, in the order of their ids. */
async function listWatchlists(
  ports: ManageWatchlistsPorts,
  { caller: { tenant }, query: { limit, cursor } }: Request<WatchlistsQuery>,
) {
  const page = await fillPage(
    (most, after) => ports.watchlistsOf(tenant, most, after),
    async (lists) => lists.filter(({ deleted }) => !deleted),
    { limit, after: cursor, placeOf: ({ id }) => `LIST#${id}` },
  );
  return answer<WatchlistPage>(200, {
    watchlists: page.entries.map(watchlistView),
    cursor: page.next === undefined ? null : toCursor(page.next),
    ...filledView(page),
  });
}

async function createWatchlist(
  ports: ManageWatchlistsPorts,
  request: Request<unknown, WatchlistRequest>,
  { signal, ...attempt }: Attempt & Waiting,
) {
  const { tenant, key } = request.caller;
  const { id: given, name } = request.body;
  const id = { tenant, id: given ?? idFrom(name, attempt.number) };
  const before = await readableWatchlist(ports, id);
  const body = await lookedUp(ports, request, before, signal);
  if (before?.deleted === false) {
    throw new ProblemError(
      `the watchlist "${id.id}" already exists; choose another id, or replace the watchlist with PUT`,
      {
        type: 'already_exists',
        issues: [{ pointer: '/id', detail: 'expected an id that no other watchlist has' }],
      },
    );
  }
  expectToCome(body, before, ports.now(), 'a whole document');
  const after = await nextRevision(ports, id, before, body);
  const unknown = await unknownContracts(ports, before, after, signal);
  const { forecast } = await forecastOfChange(ports, before, after, unknown);
  const Location = linkTo(request.event, `/v1/watchlists/${id.id}`);
  return await answeredWith(
    attempt,
    (keep) => replaceWatchlist(ports, key, before, after, keep),
    (list, pendingChanges) =>
      watchlistAnswer(ports, 201, list, {
        ...{ headers: { Location }, edit: { restarted: [], forecast }, pendingChanges },
      }),
  );
}

async function getWatchlist(ports: ManageWatchlistsPorts, request: Request) {
  return await watchlistAnswer(ports, 200, await existingWatchlist(ports, request));
}

async function putWatchlist(
  ports: ManageWatchlistsPorts,
  request: Request<PutQuery, WatchlistRequest>,
  { signal, ...attempt }: Attempt & Waiting,
) {
  const { event, query } = request;
  const { tenant, key } = request.caller;
  const { watchlist } = readPath(event, WatchlistPath);
  if (request.body.id !== undefined && request.body.id !== watchlist) {
    const detail = 'expected the same id as in the path, or no id';
    throw new ProblemError(`/id: ${detail}`, {
      type: 'invalid_request',
      issues: [{ pointer: '/id', detail }],
    });
  }
  const id = { tenant, id: watchlist };
  const before = await watchlistToReplace(ports, id);
  if (!query.dryRun) expectMatch(event, 'watchlist', revisionOf(before));
  const body = await lookedUp(ports, request, before, signal);
  if (query.dryRun) return await dryRun(ports, { ...request, body }, id, before, signal);
  expectToCome(body, before, ports.now(), 'a whole document');
  const after = await nextRevision(ports, id, before, body);
  const unknown = await unknownContracts(ports, before, after, signal);
  const { forecast } = await forecastOfChange(ports, before, after, unknown);
  const status = before?.deleted === false ? 200 : 201;
  return await answeredWith(
    attempt,
    (keep) => replaceWatchlist(ports, key, before, after, keep),
    (list, pendingChanges) => {
      const edit = { restarted: restartedRules(before, list), forecast };
      return watchlistAnswer(ports, status, list, { edit, pendingChanges });
    },
  );
}

/**
 * Looks up contracts that are given by name, because stored lists contain only addresses. Also
 * reads the holdings of a new wallet.
 */
async function lookedUp(
  ports: ManageWatchlistsPorts,
  { caller: { tenant }, body }: Request<unknown, WatchlistRequest>,
  before: Watchlist | undefined,
  signal: AbortSignal,
): Promise<WrittenList> {
  const { wallet } = body;
  const written = body.contracts.filter(({ by }) => by === undefined);
  const found = await contractsByName(written, findFor(ports, tenant, signal));
  const { contracts } = checkDocument(WatchlistBody, {
    ...body,
    wallet: undefined,
    contracts: found,
  });
  if (wallet === undefined || wallet === before?.wallet?.address) return { ...body, contracts };
  const read = await ports.readWallet(tenant, wallet, signal);
  if (read.kind === 'unsupported') {
    const message =
      'the provider of this stack does not report wallets; list the contracts in "contracts" instead';
    throw invalidMembers([{ path: ['wallet'], message }]);
  }
  return { ...body, contracts, ...(read.kind === 'ok' ? { holdings: read.holdings } : {}) };
}

/** Creates a search for collections on behalf of a tenant. */
export function findFor(
  ports: ManageWatchlistsPorts,
  tenant: CallerTenant,
  signal: AbortSignal,
): FindContract {
  return async (asked) =>
    foundCollections(await lookUpCollection(ports, tenant, asked, signal), ports.now());
}

/** Returns the result that a PUT would have. Makes all checks of a PUT, but writes nothing. */
async function dryRun(
  ports: ManageWatchlistsPorts,
  { event, body }: Request<unknown, WrittenList>,
  id: Own<WatchlistId>,
  before: Watchlist | undefined,
  signal: AbortSignal,
) {
  const revision = revisionOf(before);
  expectMatchIfGiven(event, 'watchlist', revision);
  expectToCome(body, before, ports.now(), 'a whole document');
  const after = await nextRevision(ports, id, before, body);
  await withRoomFor(ports, after);
  const asked = watchedMembers(after).map(({ contract }) => contract);
  const own = await ownContracts(ports, id.tenant, asked);
  const getContract = async (contract: ContractKey) =>
    own.has(contract) ? await ports.getContract(contract) : undefined;
  const readable = { ...ports, getContract };
  const unknown = await unknownContracts(readable, before, after, signal);
  return answer<DryRun>(
    200,
    {
      revision: revision ?? null,
      edit: editView(describeEdit(before, after)),
      differences: differencesBetween(
        before?.deleted === false ? wholeDocumentOf(before) : undefined,
        wholeDocumentOf(after),
      ),
      restarted: restartedRules(before, after),
      ...(await forecastOfChange(readable, before, after, unknown)),
    },
    revision === undefined ? {} : revisionHeader(revision),
  );
}

/** Exports a list as a document that a PUT of this or another list accepts unchanged. */
async function exportWatchlist(ports: ManageWatchlistsPorts, request: Request) {
  const list = await existingWatchlist(ports, request);
  return answer<WatchlistExport>(200, documentOf(list), revisionHeader(list.revision));
}

async function removeWatchlist(ports: ManageWatchlistsPorts, request: Request) {
  const toReplace = (id: Own<WatchlistId>) => watchlistToReplace(ports, id);
  const before = await existingWatchlist({ getWatchlist: toReplace }, request);
  expectMatch(request.event, 'watchlist', before.revision);
  await deleteWatchlist(ports, request.caller.key, before);
  return answer(204);
}

/**
 * Rejects an `expiresAt` in the past. An unchanged `expiresAt` is accepted, because a PUT may be
 * repeated. In a whole document, new rules may be expired, because exports may contain such rules.
 */
export function expectToCome(
  body: WatchlistBody,
  before: Watchlist | undefined,
  now: Instant,
  written: 'one rule' | 'a whole document',
): void {
  const passed = named('rule', body.rules).flatMap(({ id, expiresAt }, index) => {
    if (expiresAt === undefined || Date.parse(expiresAt) > now) return [];
    const old = before?.rules.find((rule) => rule.id === id);
    const isTaken = old === undefined ? written !== 'one rule' : old.expiresAt === expiresAt;
    return isTaken ? [] : [{ path: ['rules', index, 'expiresAt'] }];
  });
  if (passed.length === 0) return;
  throw invalidMembers(
    passed.map((member) => ({ ...member, message: 'expected a time in the future' })),
  );
}

/** The revision of a list; undefined for a missing or deleted list. */
function revisionOf(list: Watchlist | undefined): number | undefined {
  return list === undefined || list.deleted ? undefined : list.revision;
}

/** Creates the answer with a list, its tag, its pending changes, and the results of an edit. */
async function watchlistAnswer(
  ports: ManageWatchlistsPorts,
  status: number,
  list: Own<Watchlist>,
  {
    headers = {},
    edit = {},
    pendingChanges: known,
  }: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly edit?: AnsweredMembers<typeof ofChange>;
    /** The number of pending changes; counted if undefined. */
    readonly pendingChanges?: number | undefined;
  } = {},
) {
  const [pendingChanges, pace, mutes, { channels }] = await Promise.all([
    known ?? ports.countPendingChanges(list),
    paceOfTenant(ports, list.tenant),
    readRunningMutes(ports, { tenant: list.tenant, id: list.id }, ports.now()),
    channelsUsedBy(ports, list),
  ]);
  return answer<WatchlistRead>(
    status,
    {
      ...watchlistView(list),
      mutes: mutes.map(muteView),
      ...edit,
      undeliverable: isUndeliverable(channels),
      pendingChanges,
      cadenceMinutes: pace.minutes,
      cadenceStretched: pace.minutes > ports.configuredCadenceMinutes,
    },
    { ...revisionHeader(list.revision), ...headers },
  );
}

/** Builds an id from a name, and from a number that distinguishes lists with the same name. */
function idFrom(name: string, number: number): WatchlistId['id'] {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 30);
  return `${words || 'list'}-${number.toString(36).slice(-6)}`.replace(/--+/g, '-');
}
