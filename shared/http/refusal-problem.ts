import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { AskingRefusal } from '#shared/domain/nft-data/known-answer.ts';
import { ProblemError, type ProblemOptions, type ProblemType } from './problem.ts';

export const NO_CALL_FREE = "the provider's rate limit is reached; try again later";
export const SHARE_USED_UP =
  'your tenant has used its daily share of provider calls; try again later';

/** The problem for a missing answer of the provider. It never contains the provider's own text. */
export function refusalProblem(
  refusal: Exclude<AskingRefusal, { readonly kind: 'not_ready' }>,
  now: Instant,
  headers: Readonly<Record<string, string>> = {},
): ProblemError {
  const problem = (type: ProblemType, detail: string, more: Partial<ProblemOptions> = {}) =>
    new ProblemError(detail, { type, headers, ...more });
  switch (refusal.kind) {
    case 'no_capacity':
      return problem('upstream_unavailable', NO_CALL_FREE, {
        retryAfterSeconds: Math.max(1, Math.ceil((refusal.until - now) / SECOND)),
      });
    case 'not_found':
      return problem('not_found', 'the provider does not have this collection');
    case 'unsupported':
      return problem('not_supported', UNSUPPORTED[refusal.reason]);
    case 'denied':
      return problem(
        'upstream_unavailable',
        'the provider currently rejects the requests of this stack; try again later, or ask the operators of the stack to check the provider key',
        {
          retryAfterSeconds: 60,
        },
      );
    case 'throttled':
      return problem(
        'upstream_unavailable',
        'the provider throttles this stack because of too many requests; try again later',
        {
          retryAfterSeconds: refusal.retryAfterSeconds ?? 4,
        },
      );
    case 'failed':
      return problem(...FAILURES[refusal.reason]);
  }
}

/** The problem for a tenant that has used up its share of provider calls. */
export function shareUsedUp(
  retryAfterSeconds: number,
  headers: Readonly<Record<string, string>> = {},
): ProblemError {
  return new ProblemError(SHARE_USED_UP, {
    ...{ type: 'throttled', retryAfterSeconds, headers },
  });
}

const NOT_OFFERED = 'the provider does not offer this operation for this contract';

const UNSUPPORTED: Readonly<
  Record<Extract<AskingRefusal, { kind: 'unsupported' }>['reason'], string>
> = {
  retired: NOT_OFFERED,
  chain: NOT_OFFERED,
  money: 'the lowest trade was not paid in ETH, and the provider reports no other trade',
  price:
    'the amount of the lowest trade is not a valid price (for example, zero), and the provider reports no other trade',
  shared:
    'several collections share the contract, or its collection has several contracts, so there is no price for this contract alone',
  traits: 'the provider does not report prices by trait',
  many: 'the requested days have more trades than one request can read; request fewer days',
};

const UNUSABLE = ['upstream_failed', 'the provider returned no usable response'] as const;

const FAILURES: Readonly<
  Record<
    Extract<AskingRefusal, { kind: 'failed' }>['reason'],
    readonly [type: ProblemType, detail: string]
  >
> = {
  timeout: ['upstream_timeout', 'the provider did not respond in time'],
  bad_request: ['invalid_request', 'the provider rejected this request as invalid'],
  too_large: [
    'upstream_failed',
    "the provider's response is too large to pass on; request less data",
  ],
  network: UNUSABLE,
  server_error: UNUSABLE,
  garbage: UNUSABLE,
  redirect: UNUSABLE,
};
