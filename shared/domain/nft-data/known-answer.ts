import { createHash } from 'node:crypto';
import * as z from 'zod';
import { defined } from '#shared/domain/defined.ts';
import type { InterfaceOperation } from '#shared/domain/market/chains.ts';
import { DAY, type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { isAnswer } from '#shared/domain/market/upstream.ts';

/** The cached state of one query to the upstream, shared by all clients. */
export type KnownAnswer = {
  readonly version: number;
  /** Set while a request is in progress. After this time the request is considered lost. */
  readonly askedUntil?: Instant;
  /** The last good answer. */
  readonly good?: GoodAnswer;
  /** Whether the answer was too large to be cached, so that each client asks the upstream. */
  readonly isTooLarge?: true;
  /** The newest refusal since the last good answer. */
  readonly refused?: { readonly at: Instant; readonly refusal: AskingRefusal };
};

export type GoodAnswer = {
  readonly at: Instant;
  readonly reported: { readonly kind: 'ok'; readonly body: string } | { readonly kind: 'empty' };
};

/** Why a request returned no answer. */
export const AskingRefusal = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('not_ready') }),
  z.object({ kind: z.literal('not_found') }),
  z.object({
    kind: z.literal('unsupported'),
    reason: z.enum(['retired', 'chain', 'money', 'price', 'shared', 'traits', 'many']),
  }),
  z.object({
    kind: z.literal('denied'),
    reason: z.enum(['key', 'quota', 'paused', 'blocked', 'plan']),
  }),
  z.object({ kind: z.literal('throttled'), retryAfterSeconds: z.number().exactOptional() }),
  z.object({
    kind: z.literal('failed'),
    reason: z.enum([
      'timeout',
      'network',
      'server_error',
      'garbage',
      'too_large',
      'redirect',
      'bad_request',
    ]),
  }),
  /** The stack's limits allow no call to the upstream before `until`. */
  z.object({ kind: z.literal('no_capacity'), until: z.number() }),
]);
export type AskingRefusal = Readonly<z.output<typeof AskingRefusal>>;

/** The outcome of a request to the upstream. */
export type AskingOutcome = GoodAnswer['reported'] | AskingRefusal;

/** Seconds for which a cached answer is served without a call to the upstream. */
const FRESH_SECONDS: Readonly<Record<InterfaceOperation, number>> = {
  traits: 300,
  floor: 60,
  lowest: 60,
};

/** How long a refusal is cached. */
const REFUSED_SECONDS: Readonly<Record<AskingRefusal['kind'], number>> = {
  not_ready: 15,
  not_found: 60,
  unsupported: 60,
  denied: 5,
  throttled: 5,
  failed: 5,
  no_capacity: 1,
};

/** How long an answer can serve as a fallback. */
const GOOD_FOR = DAY;

/**
 * For this long after a call to the upstream has completed, clients get an older cached answer
 * instead of waiting for the next call. After that a client waits for its call, so that even the
 * answers of a slow upstream are cached.
 */
const RECENT_FOR = 10 * MINUTE;

/**
 * The maximum duration of a request: two seconds of waiting for its slot, eight for the call, and
 * one for writing the answer.
 */
const ASKING = 11 * SECOND;

/** The cache key of a query, which is the same for all callers. */
export function answerId(question: string): string {
  return createHash('sha256').update(question).digest('hex');
}

export function newKnownAnswer(): KnownAnswer {
  return { version: 0 };
}

/** The last good answer, if it is fresh. */
export function freshAnswer(
  { good }: KnownAnswer,
  operation: InterfaceOperation,
  now: Instant,
): GoodAnswer | undefined {
  const isFresh = good !== undefined && now - good.at < FRESH_SECONDS[operation] * SECOND;
  return isFresh ? good : undefined;
}

/**
 * The refusal of the last request, if the refusal is fresh or newer than the client's own request.
 */
export function freshRefusal(
  { refused }: KnownAnswer,
  waitingSince: Instant,
  now: Instant,
): AskingRefusal | undefined {
  if (refused === undefined) return undefined;
  const { at, refusal } = refused;
  const isFresh = at >= waitingSince || now - at < REFUSED_SECONDS[refusal.kind] * SECOND;
  return isFresh ? refusal : undefined;
}

/**
 * The last good answer, to be served instead of a refusal. Undefined if the refusal itself answers
 * the query, such as `not_found`.
 */
export function withLastGood(
  known: KnownAnswer,
  refusal: AskingRefusal,
  now: Instant,
): GoodAnswer | undefined {
  const isAnswer =
    refusal.kind === 'not_found' || (refusal.kind === 'failed' && refusal.reason === 'bad_request');
  return isAnswer ? undefined : olderAnswer(known, now);
}

/** The last good answer, if it may be served instead of waiting for a request in progress. */
export function olderAnswer({ good }: KnownAnswer, now: Instant): GoodAnswer | undefined {
  return good !== undefined && now - good.at < GOOD_FOR ? good : undefined;
}

/** Whether a request completed recently, so that clients need not wait for the one in progress. */
export function wasAnsweredRecently({ good, refused }: KnownAnswer, now: Instant): boolean {
  return now - Math.max(good?.at ?? 0, refused?.at ?? 0) < RECENT_FOR;
}

/** Whether a request is in progress, for which other clients wait. */
export function isAsked({ askedUntil }: KnownAnswer, now: Instant): boolean {
  return askedUntil !== undefined && askedUntil > now;
}

/** The state with a request in progress. */
export function claimed(known: KnownAnswer, now: Instant): KnownAnswer {
  return { ...known, askedUntil: now + ASKING };
}

/** The state after a request. */
export function answered(
  { version, good }: KnownAnswer,
  outcome: AskingOutcome,
  now: Instant,
): KnownAnswer {
  if (isAnswer(outcome)) {
    return { version, good: { at: now, reported: outcome } };
  }
  const refused = { at: now, refusal: outcome };
  return { version, ...defined({ good }), refused };
}
