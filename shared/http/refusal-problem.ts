import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { AskingRefusal } from '#shared/domain/nft-data/known-answer.ts';
import { ProblemError, type ProblemOptions, type ProblemType } from './problem.ts';

export const NO_CALL_FREE = 'no call to the provider is free at this moment';
export const SHARE_USED_UP = "your tenant's daily share of provider calls is used up";

/** The problem for a missing answer of the provider, in our words: the provider's are not passed on. */
export function refusalProblem(
  refusal: Exclude<AskingRefusal, { readonly kind: 'not_ready' }>,
  now: Instant,
  headers: Readonly<Record<string, string>> = {},
): ProblemError {
  const problem = (type: ProblemType, detail: string, more: Partial<ProblemOptions> = {}) =>
    new ProblemError(detail, { type, headers, ...more });
  switch (refusal.kind) {
    case 'no_slot':
      return problem('upstream_unavailable', NO_CALL_FREE, {
        retryAfterSeconds: Math.max(1, Math.ceil((refusal.until - now) / SECOND)),
      });
    case 'not_found':
      return problem('not_found', 'the provider knows no such collection');
    case 'unsupported':
      return problem('not_supported', UNSUPPORTED[refusal.reason]);
    case 'denied':
      return problem('upstream_unavailable', 'the provider does not serve us just now', {
        retryAfterSeconds: 60,
      });
    case 'throttled':
      return problem('upstream_unavailable', 'the provider asks us to slow down', {
        retryAfterSeconds: refusal.retryAfterSeconds ?? 4,
      });
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

const NOT_OFFERED = 'the provider does not offer this operation here';

const UNSUPPORTED: Readonly<
  Record<Extract<AskingRefusal, { kind: 'unsupported' }>['reason'], string>
> = {
  retired: NOT_OFFERED,
  chain: NOT_OFFERED,
  money: 'the lowest trade was not paid in ETH, and the provider reports no other',
  price: 'the amount of the lowest trade is no price (such as zero), and no other is reported',
  shared:
    'the contract holds several collections, or its collection has several contracts: the provider reports nothing of it alone',
  traits: 'the provider reports nothing of tokens with some traits alone',
  many: 'there are more trades in these days than can be read at once: ask for fewer days',
};

const UNUSABLE = ['upstream_failed', 'the provider gave no usable answer'] as const;

const FAILURES: Readonly<
  Record<
    Extract<AskingRefusal, { kind: 'failed' }>['reason'],
    readonly [type: ProblemType, detail: string]
  >
> = {
  timeout: ['upstream_timeout', 'the provider did not answer in time'],
  bad_request: ['invalid_request', 'the provider does not accept this request'],
  too_large: [
    'upstream_failed',
    'the provider answered with more than can be passed on: ask for less',
  ],
  network: UNUSABLE,
  server_error: UNUSABLE,
  garbage: UNUSABLE,
  redirect: UNUSABLE,
};
