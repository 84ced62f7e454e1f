import type { APIGatewayProxyResult } from 'aws-lambda';
import { LIMITS } from '#shared/domain/limits.ts';
import { wholeCollection } from '#shared/domain/market/contract.ts';
import { DAY, formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import type { ReadSome, Unreadable } from '#shared/domain/unreadable.ts';
import { unreportedMetrics } from '#shared/domain/watchlists/unreported-metrics.ts';
import { answer, binaryAnswer } from '#shared/http/answer.ts';
import type { FoundCollections, Prices } from '#shared/http/answer-shapes.ts';
import type { CallerTenant } from '#shared/http/caller.ts';
import { contractsByName, type FindContract } from '#shared/http/contracts-by-name.ts';
import { toCursor } from '#shared/http/cursor.ts';
import { withTag } from '#shared/http/entity-tag.ts';
import { unreadableDetail } from '#shared/http/existing-watchlist.ts';
import { foundCollections, searchCollection } from '#shared/http/find-collections.ts';
import { type WatchedContract, watchedContracts } from '#shared/http/own-contracts.ts';
import { unreadableView } from '#shared/http/page-view.ts';
import { pricesView } from '#shared/http/prices-view.ts';
import { ProblemError } from '#shared/http/problem.ts';
import {
  checkDocument,
  type HttpEvent,
  invalidMembers,
  invalidParameter,
  pathOf,
} from '#shared/http/request.ts';
import {
  publicRoute,
  type Request,
  type Route,
  type Routes,
  route,
  routeOf,
} from '#shared/http/route.ts';
import { collectionOf } from '#shared/use-cases/collection-of.ts';
import { paceOfTenant } from '#shared/use-cases/pace-of-tenant.ts';
import { tryRead } from '#shared/use-cases/try-read.ts';
import type {
  ContractPage,
  ContractRead,
  MetricCatalogue,
  StackHealth,
} from './answers/contracts.ts';
import type { Preview, Suggestions } from './answers/preview.ts';
import { HEALTH_SECONDS, type HealthCheck } from './check-health.ts';
import { contractView } from './contract-view.ts';
import { metricsView } from './metrics-view.ts';
import type { ReadContractsPorts } from './ports.ts';
import { previewRule, type Span } from './preview-rule.ts';
import {
  CollectionsQuery,
  ContractPath,
  ContractsQuery,
  PreviewBody,
  PricesQuery,
} from './requests.ts';
import { suggestLines } from './suggest-lines.ts';

export type ReadContracts = {
  readonly ports: ReadContractsPorts;
  readonly checkHealth: () => Promise<HealthCheck>;
};

/**
 * The operations on contracts, previews of rules and the health of the stack, by method and path.
 */
export const contractRoutes = {
  'GET /v1/contracts': route(
    { scope: 'view', units: 'readAllLists', query: ContractsQuery },
    listContracts,
  ),
  'GET /v1/contracts/{contract}': route({ scope: 'view', units: 'readAllLists' }, getContract),
  'GET /v1/contracts/{contract}/prices': route(
    { scope: 'view', units: 'readAllLists', query: PricesQuery },
    getPrices,
  ),
  'GET /v1/contracts/{contract}/picture': route(
    { scope: 'view', units: 'readAllLists' },
    getPicture,
  ),
  'GET /v1/collections': route(
    { scope: 'read', units: 'readAllLists', query: CollectionsQuery },
    searchCollections,
  ),
  'GET /v1/metrics': route({ scope: 'view', units: 'read' }, ({ ports }) =>
    answer<MetricCatalogue>(200, { metrics: metricsView(ports.provider) }),
  ),
  'POST /v1/rules/preview': route({ scope: 'read', units: 'preview', body: PreviewBody }, preview),
  'POST /v1/rules/suggestions': route(
    { scope: 'read', units: 'preview', body: PreviewBody },
    suggest,
  ),
  'GET /v1/health': publicRoute(getHealth),
} satisfies Routes<ReadContracts, AbortSignal>;

/** Finds the route of a request, checks the request, and answers it. */
export async function readContracts(
  to: ReadContracts,
  event: HttpEvent,
  signal: AbortSignal,
): Promise<APIGatewayProxyResult> {
  const { access, check } = routeOf<Route<ReadContracts, AbortSignal>>(contractRoutes, event);
  const answered = await check(event)(to, signal);
  return access === 'public' ? answered : withTag(event, answered);
}

async function listContracts({ ports }: ReadContracts, request: Request<ContractsQuery>) {
  const { tenant } = request.caller;
  const { limit, cursor } = request.query;
  const watched = await watchedContracts(ports, tenant);
  const behind = watched.entries.filter(
    ({ contract }) => cursor === undefined || contract > cursor,
  );
  const page = behind.slice(0, limit);
  const last = page.at(-1);
  const isMore = behind.length > page.length && last !== undefined;
  const { entries, unreadable } = await viewsOf(ports, tenant, page);
  return answer<ContractPage>(200, {
    contracts: entries,
    cursor: isMore ? toCursor(last.contract) : null,
    unreadable: [...watched.unreadable, ...unreadable].map(unreadableView),
  });
}

async function getContract({ ports }: ReadContracts, request: Request) {
  const contract = await existingContract(ports, request);
  const { entries, unreadable } = await viewsOf(ports, request.caller.tenant, [contract]);
  if (unreadable.length > 0) throw notReadable(unreadable);
  return answer<ContractRead>(200, entries[0]);
}

async function viewsOf(
  ports: ReadContractsPorts,
  tenant: CallerTenant,
  watched: readonly WatchedContract[],
) {
  const pace = await paceOfTenant(ports, tenant);
  const now = ports.now();
  const read = await Promise.all(
    watched.map(async (one) => {
      const name = { kind: 'contract' as const, id: one.contract };
      const [record, collection] = await Promise.all([
        tryRead(name, () => ports.getContract(one.contract)),
        collectionOf(ports.getCollection, one.contract),
      ]);
      return { one, collection, ...record };
    }),
  );
  return {
    entries: read.flatMap(({ one, collection, found, unreadable }) =>
      unreadable ? [] : [contractView(one, collection, found, { now, pace })],
    ),
    unreadable: read.flatMap(({ unreadable }) => unreadable ?? []),
  };
}

function notReadable(unreadable: readonly Unreadable[]): ProblemError {
  return new ProblemError(unreadable.map(unreadableDetail).join('; '), { type: 'unreadable' });
}

/**
 * The recorded prices of a series: all prices of 35 days, and the last price of each earlier day.
 */
async function getPrices({ ports }: ReadContracts, request: Request<PricesQuery>) {
  const { series, points, ...query } = request.query;
  const { contract } = await existingContract(ports, request);
  const from = query.from === undefined ? 0 : Date.parse(query.from);
  const to = query.to === undefined ? ports.now() : Date.parse(query.to);
  if (to < from) throw invalidParameter('to', 'expected a time that is not before "from"');
  const [known, recorded] = await Promise.all([
    tryRead({ kind: 'contract', id: contract }, () => ports.getContract(contract)),
    ports.pricesBetween(contract, series, from, to),
  ]);
  if (known.unreadable) throw notReadable([known.unreadable]);
  return answer<Prices>(
    200,
    pricesView({ contract, series, recorded, record: known.found, to }, points),
  );
}

/**
 * The picture of a collection, read only from the URL that the provider reported. Browsers cache
 * the picture for a day, and then revalidate it by its tag.
 */
async function getPicture(
  { ports }: ReadContracts,
  request: Request,
  signal: AbortSignal,
): Promise<APIGatewayProxyResult> {
  const { contract } = await existingContract(ports, request);
  const collection = await ports.getCollection(wholeCollection(contract));
  if (collection?.image === undefined) {
    throw new ProblemError('the data provider has reported no picture of this collection', {
      type: 'not_found',
    });
  }
  const picture = await ports.readPicture(collection.image, signal);
  if (picture.kind === 'failed') {
    throw new ProblemError(`the picture cannot be shown: ${picture.reason}`, { type: 'not_found' });
  }
  return binaryAnswer(200, picture.bytes, {
    'Content-Type': picture.type,
    'Cache-Control': 'private, max-age=86400',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'X-Content-Type-Options': 'nosniff',
  });
}

/** The contract in the path. A contract on no list of the tenant is not found. */
async function existingContract(
  ports: ReadContractsPorts,
  { event, caller: { tenant } }: Request,
): Promise<WatchedContract> {
  const path = ContractPath.safeParse(pathOf(event));
  const { entries, unreadable }: ReadSome<WatchedContract> = path.success
    ? await watchedContracts(ports, tenant)
    : { entries: [], unreadable: [] };
  const found = entries.find(({ contract }) => contract === path.data?.contract);
  if (found !== undefined) return found;
  // An unreadable list may contain the contract.
  if (unreadable.length > 0) throw notReadable(unreadable);
  const detail = path.success
    ? 'none of your watchlists contains this contract; add it to a watchlist first'
    : (path.error.issues[0]?.message ?? 'there is no such contract');
  throw new ProblemError(detail, { type: 'not_found' });
}

async function searchCollections(
  { ports }: ReadContracts,
  { caller: { tenant }, query }: Request<CollectionsQuery>,
  signal: AbortSignal,
) {
  return answer<FoundCollections>(200, await findFor(ports, tenant, signal)(query.query));
}

function findFor(
  ports: ReadContractsPorts,
  tenant: CallerTenant,
  signal: AbortSignal,
): FindContract {
  return async (asked) =>
    foundCollections(await searchCollection(ports.search, tenant, asked, signal), ports.now());
}

/** Returns the alerts that a rule would have sent in the past, without writing anything. */
async function preview(
  { ports }: ReadContracts,
  { caller: { tenant }, body }: Request<unknown, PreviewBody>,
  signal: AbortSignal,
) {
  const span = spanOf(body, ports.now());
  const read = await readRule(ports, tenant, body, signal);
  return answer<Preview>(200, await previewRule(ports, tenant, read, span, signal));
}

/** Returns thresholds with which a rule would have sent few alerts, without writing anything. */
async function suggest(
  { ports }: ReadContracts,
  { caller: { tenant }, body }: Request<unknown, PreviewBody>,
  signal: AbortSignal,
) {
  const span = spanOf(body, ports.now());
  const read = await readRule(ports, tenant, body, signal);
  return answer<Suggestions>(200, await suggestLines(ports, tenant, read, span, signal));
}

/**
 * Reads the rule and the contracts of a body. Contracts that are given by the name of their
 * collection are looked up.
 */
async function readRule(
  ports: ReadContractsPorts,
  tenant: CallerTenant,
  body: PreviewBody,
  signal: AbortSignal,
) {
  const contracts = await contractsByName(body.contracts, findFor(ports, tenant, signal));
  const { rule } = checkDocument(PreviewBody, { ...body, contracts });
  const unreported = unreportedMetrics(rule, ports.provider);
  if (unreported.length > 0) {
    throw invalidMembers(
      unreported.map(({ path, message }) => ({ path: ['rule', ...path], message })),
    );
  }
  return { rule, contracts };
}

/** The span of a preview. Rejects a span that is not in the past. */
function spanOf({ from, to, days = DAYS }: PreviewBody, now: Instant): Span {
  const end = to === undefined ? now : Date.parse(to);
  const start = from === undefined ? end - days * DAY : Date.parse(from);
  const wrong = (member: string, message: string) => invalidMembers([{ path: [member], message }]);
  if (end > now) throw wrong('to', 'expected a time in the past');
  if (start >= end) throw wrong('from', 'expected a time before "to", which is now by default');
  if (end - start > LIMITS.preview.days * DAY) {
    throw wrong('from', `expected at most ${LIMITS.preview.days} days between "from" and "to"`);
  }
  return { from: start, to: end };
}

const DAYS = 30;

/**
 * The health of the stack, for the public. Clients cache the response as long as this function
 * caches it.
 */
async function getHealth({ checkHealth }: ReadContracts) {
  const headers = { 'Cache-Control': `public, max-age=${HEALTH_SECONDS}` };
  const { dispatchedAt, troubles, notes } = await checkHealth();
  if (dispatchedAt !== undefined && troubles.length === 0) {
    return answer<StackHealth>(
      200,
      { status: 'ok', dispatchedAt: formatInstant(dispatchedAt), notes },
      headers,
    );
  }
  throw new ProblemError(troubles.join('; '), {
    type: 'unhealthy',
    retryAfterSeconds: 60,
    headers,
  });
}
