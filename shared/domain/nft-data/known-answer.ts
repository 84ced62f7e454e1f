import { createHash } from 'node:crypto';
import * as z from 'zod';
import { defined } from '#shared/domain/defined.ts';
import type { InterfaceOperation } from '#shared/domain/market/chains.ts';
import { DAY, type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { isAnswer } from '#shared/domain/market/upstream.ts';

/** The cached state of one query to the upstream, shared by all clients. */
export type KnownAnswer = {
  readonly version: number;
  /** A request is under way; after this time it counts as lost. */
  readonly askedUntil?: Instant;
  /** The last good answer. */
  readonly good?: GoodAnswer;
  /** Whether it was too large to be cached: each client asks the upstream. */
  readonly isTooLarge?: true;
  /** What came since instead of one. */
  readonly refused?: { readonly at: Instant; readonly refusal: AskingRefusal };
};

export type GoodAnswer = {
  readonly at: Instant;
  readonly reported: { readonly kind: 'ok'; readonly body: string } | { readonly kind: 'empty' };
};

/** Why asking brought no answer. */
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
  /** The limits of the stack leave no call to the upstream until then. */
  z.object({ kind: z.literal('no_slot'), until: z.number() }),
]);
export type AskingRefusal = Readonly<z.output<typeof AskingRefusal>>;

/** What came of asking the upstream. */
export type AskingOutcome = GoodAnswer['reported'] | AskingRefusal;

/** For this long a cached answer is fresh, and the upstream is not asked. */
const FRESH_SECONDS: Readonly<Record<InterfaceOperation, number>> = {
  traits: 300,
  floor: 60,
  lowest: 60,
};

/** The same for what was no answer: so long the upstream is not asked the same in vain. */
const REFUSED_SECONDS: Readonly<Record<AskingRefusal['kind'], number>> = {
  not_ready: 15,
  not_found: 60,
  unsupported: 60,
  denied: 5,
  throttled: 5,
  failed: 5,
  no_slot: 1,
};

/** Until then an answer stands in for one that cannot be had. */
const GOOD_FOR = DAY;

/**
 * For this long after a finished try, clients get an older answer instead of waiting for the next
 * one. After it a client waits, so the answers of a slow upstream are cached in the end.
 */
const RECENT_FOR = 10 * MINUTE;

/** The longest that asking takes: two seconds until the slot, eight for the call, one to write it. */
const ASKING = 11 * SECOND;

/** The cache key of a query; the caller is no part of it. */
export function answerId(question: string): string {
  return createHash('sha256').update(question).digest('hex');
}

export function newKnownAnswer(): KnownAnswer {
  return { version: 0 };
}

/** The last good answer while it is fresh. */
export function freshAnswer(
  { good }: KnownAnswer,
  operation: InterfaceOperation,
  now: Instant,
): GoodAnswer | undefined {
  const isFresh = good !== undefined && now - good.at < FRESH_SECONDS[operation] * SECOND;
  return isFresh ? good : undefined;
}

/** Why there is no answer now: the refusal of the last try. */
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

/** The last good answer, where it may stand in for what was refused: not where that is an answer. */
export function standIn(
  known: KnownAnswer,
  refusal: AskingRefusal,
  now: Instant,
): GoodAnswer | undefined {
  const isAnswer =
    refusal.kind === 'not_found' || (refusal.kind === 'failed' && refusal.reason === 'bad_request');
  return isAnswer ? undefined : olderAnswer(known, now);
}

/** The last good answer, while it may be served to clients that wait for another's request. */
export function olderAnswer({ good }: KnownAnswer, now: Instant): GoodAnswer | undefined {
  return good !== undefined && now - good.at < GOOD_FOR ? good : undefined;
}

/** Whether a try ended recently, so that a client need not wait for the one under way. */
export function wasAnsweredRecently({ good, refused }: KnownAnswer, now: Instant): boolean {
  return now - Math.max(good?.at ?? 0, refused?.at ?? 0) < RECENT_FOR;
}

/** Whether a request is under way, for which other clients wait. */
export function isAsked({ askedUntil }: KnownAnswer, now: Instant): boolean {
  return askedUntil !== undefined && askedUntil > now;
}

/** The state with a request under way. */
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
