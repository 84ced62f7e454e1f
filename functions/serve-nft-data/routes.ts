import type { APIGatewayProxyResult } from 'aws-lambda';
import { REQUEST_UNITS } from '#shared/domain/access/request-units.ts';
import { ExactJsonText } from '#shared/domain/json-text.ts';
import type { InterfaceOperation } from '#shared/domain/market/chains.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import {
  ContractPath,
  FloorParameters,
  LowestParameters,
  TraitsBody,
  TraitsParameters,
} from '#shared/domain/nft-data/queries.ts';
import { answer, rawAnswer } from '#shared/http/answer.ts';
import type { Caller, CallerTenant } from '#shared/http/caller.ts';
import type { RequestCount } from '#shared/http/count-request.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { refusalProblem, shareUsedUp } from '#shared/http/refusal-problem.ts';
import { type HttpEvent, invalidParameter, readPath, textOf } from '#shared/http/request.ts';
import { limitHeaders, refuseTooMany } from '#shared/http/request-limit.ts';
import { type Route, type Routes, route, routeOf } from '#shared/http/route.ts';
import type { NotReady } from './answers.ts';
import type { ChosenSource } from './choose-source.ts';
import type { NftAnswer, NftQuestion } from './source.ts';

export type ServeNftDataPorts = ChosenSource & {
  readonly now: () => Instant;
  /**
   * Charges a provider call to the tenant's daily share; returns the seconds to wait if the share
   * is used up.
   */
  readonly takeCall: (
    tenant: CallerTenant,
    operation: InterfaceOperation,
  ) => Promise<number | undefined>;
  /** Takes units from the tenant's limit; undefined if they could not be counted. */
  readonly countRequest: (tenant: CallerTenant, units: number) => Promise<RequestCount | undefined>;
};

/** The operations of the v2.2 interface, by method and path. */
export const nftDataRoutes = {
  'POST /api/v2.2/nft/{address}/nfts-by-traits': route(
    { scope: 'read', units: undefined, query: TraitsParameters, body: TraitsBody },
    (ports: ServeNftDataPorts, { event, caller, query }, signal: AbortSignal) => {
      const body = textOf(event);
      // Parse the text again, because the numbers in the validated body are rounded.
      const { traits } = ExactJsonText.pipe(TraitsBody).parse(body);
      const asked = { ...contractIn(event, query), traits, body };
      return ask(ports, caller, { operation: 'traits', ...asked }, signal);
    },
  ),
  'GET /api/v2.2/nft/{address}/floor-price/historical': route(
    { scope: 'read', units: undefined, query: FloorParameters },
    (ports: ServeNftDataPorts, { event, caller, query }, signal: AbortSignal) =>
      ask(ports, caller, { operation: 'floor', ...contractIn(event, query) }, signal),
  ),
  'GET /api/v2.2/nft/{address}/lowestprice': route(
    { scope: 'read', units: undefined, query: LowestParameters },
    (ports: ServeNftDataPorts, { event, caller, query }, signal: AbortSignal) =>
      ask(ports, caller, { operation: 'lowest', ...contractIn(event, query) }, signal),
  ),
} satisfies Routes<ServeNftDataPorts, AbortSignal>;

export async function serveNftData(
  ports: ServeNftDataPorts,
  event: HttpEvent,
  signal: AbortSignal,
): Promise<APIGatewayProxyResult> {
  const { check } = routeOf<Route<ServeNftDataPorts, AbortSignal>>(nftDataRoutes, event);
  return await check(event)(ports, signal);
}

async function ask(
  ports: ServeNftDataPorts,
  { tenant }: Caller,
  question: NftQuestion,
  signal: AbortSignal,
): Promise<APIGatewayProxyResult> {
  const atHand = await ports.recall(question);
  const isAsked = atHand === undefined && ports.asksUpstream(question);
  const units = REQUEST_UNITS['nft-data'][isAsked ? 'asked' : 'atHand'];
  const limit = limitOf(await ports.countRequest(tenant, units));
  const wait = isAsked ? await ports.takeCall(tenant, question.operation) : undefined;
  if (wait !== undefined) throw shareUsedUp(wait, limit);
  const given = atHand ?? (await ports.ask(question, signal));
  const headers = { ...limit, ...originOf(given) };
  if (given.kind === 'ok') {
    return rawAnswer(200, given.body, { 'Content-Type': 'application/json', ...headers });
  }
  if (given.kind === 'not_ready') {
    return answer<NotReady>(202, NOT_READY, { 'Retry-After': '60', ...headers });
  }
  throw problemOf(question, given, ports.now(), headers);
}

/** The headers with the remaining units of a tenant; throws a problem if too few were left. */
function limitOf(count: RequestCount | undefined): Readonly<Record<string, string>> {
  if (count === undefined) return {};
  const headers = limitHeaders('nft-data', count);
  refuseTooMany(count, headers);
  return headers;
}

/** The parameters with the contract, from the path and the chain. */
function contractIn<Parameters extends { readonly chain: NftQuestion['chain'] }>(
  event: HttpEvent,
  parameters: Parameters,
) {
  const { address } = readPath(event, ContractPath);
  return { ...parameters, contract: { chain: parameters.chain, address } };
}

/** The body of a 202, in the format of the v2.2 interface. */
const NOT_READY = { message: 'The provider is still indexing this collection. Try again later.' };

/**
 * The headers with the source of an answer and the age of a cached answer, according to RFC 9111
 * and RFC 9211.
 */
function originOf(given: NftAnswer): Readonly<Record<string, string>> {
  if (given.kind !== 'ok' && given.kind !== 'empty') return {};
  const source: Readonly<Record<string, string>> =
    given.kind === 'ok' ? { 'X-Data-Source': given.from } : {};
  if (given.cached === undefined) return source;
  const { ageSeconds, insteadOf } = given.cached;
  const how = insteadOf === undefined ? 'hit' : `fwd=stale; detail="${insteadOf}"`;
  return { ...source, Age: `${ageSeconds}`, 'Cache-Status': `floorwatch; ${how}` };
}

/** The problem for a missing answer. */
function problemOf(
  { operation }: NftQuestion,
  refusal: Exclude<NftAnswer, { kind: 'ok' | 'not_ready' }>,
  now: Instant,
  headers: Readonly<Record<string, string>>,
): ProblemError {
  switch (refusal.kind) {
    case 'bad_cursor': {
      const { message, issues } = invalidParameter('cursor', BAD_CURSOR);
      return new ProblemError(message, { type: 'invalid_request', headers, issues });
    }
    case 'empty':
      return operation === 'lowest'
        ? new ProblemError('no trade was found in the requested days; request more days', {
            type: 'no_trade',
            headers,
          })
        : new ProblemError('no data was found for this collection', { type: 'not_found', headers });
    case 'no_capacity':
    case 'not_found':
    case 'unsupported':
    case 'denied':
    case 'throttled':
    case 'failed':
      return refusalProblem(refusal, now, headers);
  }
}

const BAD_CURSOR = 'expected a cursor from an earlier response to the same query';
