import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Instant } from '#shared/domain/market/instant.ts';
import {
  ContractPath,
  FloorParameters,
  LowestParameters,
  TraitsBody,
  TraitsParameters,
} from '#shared/domain/nft-data/queries.ts';
import { answer, rawAnswer } from '#shared/http/answer.ts';
import { ProblemError } from '#shared/http/problem.ts';
import {
  callerOf,
  type HttpEvent,
  invalidParameter,
  readBody,
  readPath,
  readQuery,
  textOf,
} from '#shared/http/request.ts';
import type { NftAnswer, NftQuestion, NftSource } from './source.ts';

export type ServeNftDataPorts = {
  readonly now: () => Instant;
  readonly ask: NftSource;
};

/** Answers the operations of the v2.2 interface. */
export async function serveNftData(
  ports: ServeNftDataPorts,
  event: HttpEvent,
  signal: AbortSignal,
): Promise<APIGatewayProxyResult> {
  const read = QUESTIONS[`${event.httpMethod} ${event.resource}`];
  if (read === undefined) throw new ProblemError('there is no such path', { type: 'not_found' });
  callerOf(event, 'read');
  const question = read(event);
  const given = await ports.ask(question, signal);
  if (given.kind === 'ok') {
    return rawAnswer(200, given.body, { 'Content-Type': 'application/json', ...originOf(given) });
  }
  if (given.kind === 'not_ready') return answer(202, NOT_READY, { 'Retry-After': '60' });
  throw problemOf(question, given, ports.now());
}

/** What is asked on each path of the v2.2 interface. */
export const QUESTIONS: Readonly<Record<string, (event: HttpEvent) => NftQuestion>> = {
  'POST /api/v2.2/nft/{address}/nfts-by-traits': (event) => {
    const contract = contractIn(event, readQuery(event, TraitsParameters));
    const { traits } = readBody(event, TraitsBody);
    return { operation: 'traits', ...contract, traits, body: textOf(event) };
  },
  'GET /api/v2.2/nft/{address}/floor-price/historical': (event) => ({
    operation: 'floor',
    ...contractIn(event, readQuery(event, FloorParameters)),
  }),
  'GET /api/v2.2/nft/{address}/lowestprice': (event) => ({
    operation: 'lowest',
    ...contractIn(event, readQuery(event, LowestParameters)),
  }),
};

/** The parameters, with the contract that path and chain name together. */
function contractIn<Parameters extends { readonly chain: NftQuestion['chain'] }>(
  event: HttpEvent,
  parameters: Parameters,
) {
  const { address } = readPath(event, ContractPath);
  return { ...parameters, contract: { chain: parameters.chain, address } };
}

/** The interface's own form of "not yet". */
const NOT_READY = { message: 'The provider is still collecting the data of this collection.' };

/** Who said it, and how long ago, as RFC 9111 and RFC 9211 have it. */
function originOf({
  from,
  ageSeconds,
  isStale = false,
}: Extract<NftAnswer, { kind: 'ok' }>): Readonly<Record<string, string>> {
  if (ageSeconds === undefined) return { 'X-Data-Source': from };
  const cache = isStale ? 'floorwatch; fwd=stale; detail="the provider fails"' : 'floorwatch; hit';
  return { 'X-Data-Source': from, Age: `${ageSeconds}`, 'Cache-Status': cache };
}

/** Whose fault it is that there is no answer, in our words: the provider's are for nobody's eyes. */
function problemOf(
  { operation }: NftQuestion,
  refusal: Exclude<NftAnswer, { kind: 'ok' | 'not_ready' }>,
  now: Instant,
): ProblemError {
  switch (refusal.kind) {
    case 'bad_cursor':
      return invalidParameter('cursor', 'expected a cursor as an earlier answer to this gave it');
    case 'no_slot':
      return new ProblemError('no call to the provider is left just now', {
        type: 'upstream_unavailable',
        retryAfterSeconds: Math.max(1, Math.ceil((refusal.until - now) / 1000)),
      });
    case 'empty':
      return operation === 'lowest'
        ? new ProblemError('no trade was found in these days', { type: 'no_trade' })
        : new ProblemError('nothing is known of this collection', { type: 'not_found' });
    case 'not_found':
      return new ProblemError('the provider knows no such collection', { type: 'not_found' });
    case 'unsupported':
      return new ProblemError('the provider does not offer this operation here', {
        type: 'not_supported',
      });
    case 'denied':
      return new ProblemError('the provider does not serve us just now', {
        type: 'upstream_unavailable',
        retryAfterSeconds: 60,
      });
    case 'throttled':
      return new ProblemError('the provider asks us to slow down', {
        type: 'upstream_unavailable',
        retryAfterSeconds: refusal.retryAfterSeconds ?? 4,
      });
    case 'failed':
      if (refusal.reason === 'timeout') {
        return new ProblemError('the provider did not answer in time', {
          type: 'upstream_timeout',
        });
      }
      if (refusal.reason === 'bad_request') {
        return new ProblemError('the provider does not accept this search', {
          type: 'invalid_request',
        });
      }
      return new ProblemError('the provider gave no usable answer', { type: 'upstream_failed' });
  }
}
