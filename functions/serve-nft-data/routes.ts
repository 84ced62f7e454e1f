import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import * as z from 'zod';
import { ChainParameter } from '#shared/domain/market/chains.ts';
import { ContractAddress } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Outcome, Refusal, TraitsQuery } from '#shared/domain/market/upstream.ts';
import { answer, rawAnswer } from '#shared/http/answer.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { callerOf, readBody, readPath, readQuery } from '#shared/http/request.ts';

export type ServeNftDataPorts = {
  readonly now: () => Instant;
  /** Asks the upstream within the stack's limits; why not, where they leave no call. */
  readonly searchTraits: (
    query: TraitsQuery,
    signal: AbortSignal,
  ) => Promise<Outcome<string> | { readonly kind: 'no_slot'; readonly until: Instant }>;
};

/** Answers the operations of the v2.2 interface. */
export async function serveNftData(
  ports: ServeNftDataPorts,
  event: APIGatewayProxyEvent,
  signal: AbortSignal,
): Promise<APIGatewayProxyResult> {
  if (`${event.httpMethod} ${event.resource}` !== NFTS_BY_TRAITS) {
    throw new ProblemError('there is no such path', { type: 'not_found' });
  }
  callerOf(event, 'read');
  const query = traitsQueryOf(event);
  const outcome = await ports.searchTraits(query, signal);
  if (outcome.kind === 'ok') {
    return rawAnswer(200, outcome.value, { 'Content-Type': 'application/json' });
  }
  if (outcome.kind === 'not_ready') return answer(202, NOT_READY, { 'Retry-After': '60' });
  if (outcome.kind === 'no_slot') {
    throw new ProblemError('no call to the provider is left just now', {
      type: 'upstream_unavailable',
      retryAfterSeconds: Math.max(1, Math.ceil((outcome.until - ports.now()) / 1000)),
    });
  }
  throw problemOf(outcome);
}

/** The interface's own form of "not yet". */
const NOT_READY = { message: 'The provider is still collecting the traits of this collection.' };
const NFTS_BY_TRAITS = 'POST /api/v2.2/nft/{address}/nfts-by-traits';

const Truth = z
  .enum(['true', 'false'], 'expected "true" or "false"')
  .transform((text) => text === 'true');

const TraitsParameters = z.strictObject({
  chain: ChainParameter,
  format: z.enum(['decimal', 'hex'], 'expected "decimal" or "hex"').optional(),
  limit: z
    .string()
    .regex(/^\d+$/, 'expected a whole number')
    .transform(Number)
    .pipe(
      z
        .number('expected at most 100')
        .min(1, 'expected at least 1')
        .max(100, 'expected at most 100'),
    )
    .optional(),
  cursor: z.string().min(1).max(4096).optional(),
  normalizeMetadata: Truth.optional(),
  media_items: Truth.optional(),
});

const TraitValue = z.union([z.string(), z.number(), z.boolean()], 'expected a text');

const TraitsBody = z.strictObject({
  traits: z
    .record(z.string(), TraitValue)
    .refine((traits) => Object.keys(traits).length >= 1, 'expected at least one trait')
    .refine((traits) => Object.keys(traits).length <= 25, 'expected at most 25 traits'),
});

function traitsQueryOf(event: APIGatewayProxyEvent): TraitsQuery {
  const { address } = readPath(event, z.object({ address: ContractAddress }));
  const { chain, media_items, ...parameters } = readQuery(event, TraitsParameters);
  const { traits } = readBody(event, TraitsBody);
  const { format, limit, cursor, normalizeMetadata } = parameters;
  return {
    contract: { chain, address },
    traits,
    ...(format === undefined ? {} : { format }),
    ...(limit === undefined ? {} : { limit }),
    ...(cursor === undefined ? {} : { cursor }),
    ...(normalizeMetadata === undefined ? {} : { normalizeMetadata }),
    ...(media_items === undefined ? {} : { mediaItems: media_items }),
  };
}

/** Whose fault it is that there is no answer, in our words: the provider's are for nobody's eyes. */
function problemOf(refusal: Exclude<Refusal, { kind: 'not_ready' }>): ProblemError {
  switch (refusal.kind) {
    case 'empty':
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
