import { contractKey } from '#shared/domain/market/contract.ts';
import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import {
  type AskingOutcome,
  type AskingRefusal,
  answered,
  answerId,
  claimed,
  freshAnswer,
  freshRefusal,
  type GoodAnswer,
  isAsked,
  type KnownAnswer,
  newKnownAnswer,
  olderAnswer,
  wasAnsweredRecently,
  withLastGood,
} from '#shared/domain/nft-data/known-answer.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createRecentAnswers } from './recent-answers.ts';
import type { NftAnswer, NftQuestion, NftSource, RecallAnswer } from './source.ts';
import type { AskUpstream } from './upstream-source.ts';

export type SharedAnswersPorts = {
  readonly now: () => Instant;
  readonly sleepUntil: (instant: Instant, signal: AbortSignal) => Promise<void>;
  readonly getAnswer: (id: string) => Promise<KnownAnswer | undefined>;
  /** Throws VersionConflictError if the answer has changed since it was read. */
  readonly putAnswer: (id: string, known: KnownAnswer) => Promise<KnownAnswer>;
  readonly askUpstream: AskUpstream;
  readonly report: (
    event: 'answer_not_kept' | 'refresh_failed',
    fields: { readonly error: unknown },
  ) => void;
};

/** Milliseconds between two reads by a request that waits for another request's answer. */
const LOOK_EVERY = SECOND / 10;
/** Milliseconds that a request waits if an older answer is available. */
const SHORT_WAIT = SECOND;
/**
 * Milliseconds that a request waits for the answer of another request. After this wait, enough time
 * is left for the request to make a call of its own.
 */
const LONGEST_WAIT = 12 * SECOND;

/**
 * The answers of the upstream, shared by all requests with the same query. One request asks the
 * upstream, and the others wait for its answer. Fresh answers are served from the cache. While the
 * upstream fails, the last good answer is the fallback. If a call is slow, an older answer is
 * returned, and the call continues in the background.
 *
 * Lambda freezes an instance that has answered, and continues the call with the next request of the
 * instance, or never. So other requests wait for such a call only for a short time. The claim of
 * such a call expires, and the next request calls the upstream again. A failure of a call in the
 * background is not stored, because Lambda may have caused it by freezing the instance. If no call
 * was completed for ten minutes, a request waits for its own call to end.
 *
 * Concurrent requests run in different instances, so they are coordinated through the table: a
 * request that asks the upstream claims the query there, for the duration of a call. The memory of
 * an instance only saves reads, because every write is conditional.
 */
export function createSharedAnswers(ports: SharedAnswersPorts): {
  /** Returns fresh answers only. */
  readonly recall: RecallAnswer;
  readonly ask: NftSource;
} {
  const { now } = ports;
  const recent = createRecentAnswers();

  const read = async (id: string): Promise<KnownAnswer> => {
    const known = (await ports.getAnswer(id)) ?? newKnownAnswer();
    recent.keep(id, known);
    return known;
  };

  /** Writes and caches an answer; returns undefined on a version conflict. */
  const write = async (id: string, known: KnownAnswer): Promise<KnownAnswer | undefined> => {
    try {
      const written = await ports.putAnswer(id, known);
      recent.keep(id, written);
      return written;
    } catch (error) {
      if (error instanceof VersionConflictError) return undefined;
      throw error;
    }
  };

  /**
   * Asks the upstream, and writes the answer for others. The answer is valid even if the write
   * fails.
   */
  const askNow = async (
    id: string,
    known: KnownAnswer,
    question: NftQuestion,
    signal: AbortSignal,
    isAwaited = () => true,
  ): Promise<NftAnswer> => {
    const outcome = await ports.askUpstream(question, signal);
    const next = answered(known, outcome, now());
    try {
      if (isAwaited() || !isRefusal(outcome)) await write(id, next);
    } catch (error) {
      ports.report('answer_not_kept', { error });
    }
    return isRefusal(outcome) ? instead(next, outcome, now()) : answerOf(outcome);
  };

  /**
   * Like `askNow`, but a slow call continues in the background, and an older answer is returned.
   */
  const askSoon = async (
    id: string,
    known: KnownAnswer,
    question: NftQuestion,
    signal: AbortSignal,
  ): Promise<NftAnswer> => {
    const older = wasAnsweredRecently(known, now()) ? olderAnswer(known, now()) : undefined;
    if (older === undefined) return await askNow(id, known, question, signal);
    let isAwaited = true;
    const waiting = new AbortController();
    const asking = askNow(id, known, question, signal, () => isAwaited);
    const late = ports
      .sleepUntil(now() + SHORT_WAIT, AbortSignal.any([signal, waiting.signal]))
      .then(() => 'late' as const);
    const first = await Promise.race([asking, late]).finally(() => waiting.abort());
    if (first !== 'late') return first;
    isAwaited = false;
    asking.catch((error: unknown) => ports.report('refresh_failed', { error }));
    return cached(older, now(), 'slow');
  };

  return {
    recall: async (question) => {
      const id = idOf(question);
      const remembered = recent.get(id);
      const fresh =
        (remembered && freshAnswer(remembered, question.operation, now())) ??
        freshAnswer(await read(id), question.operation, now());
      return fresh && cached(fresh, now());
    },

    ask: async (question, signal) => {
      const id = idOf(question);
      const begun = now();
      let known = recent.get(id) ?? (await read(id));
      while (now() - begun < LONGEST_WAIT) {
        const fresh = freshAnswer(known, question.operation, now());
        if (fresh !== undefined) return cached(fresh, now());
        const refusal = freshRefusal(known, begun, now());
        if (refusal !== undefined) return instead(known, refusal, now());
        if (known.isTooLarge) return await askNow(id, known, question, signal);
        if (isAsked(known, now())) {
          const older = now() - begun < SHORT_WAIT ? undefined : olderAnswer(known, now());
          if (older !== undefined) return cached(older, now(), 'slow');
          await ports.sleepUntil(now() + LOOK_EVERY, signal);
        } else {
          const mine = await write(id, claimed(known, now()));
          if (mine !== undefined) return await askSoon(id, mine, question, signal);
        }
        known = await read(id);
      }
      return instead(known, { kind: 'failed', reason: 'timeout' }, now());
    },
  };
}

function idOf(question: NftQuestion): string {
  const { contract, ...words } = { ...question, chain: undefined, traits: undefined };
  const body = question.operation === 'traits' ? normalized(question.body) : undefined;
  return answerId(JSON.stringify([contractKey(contract), { ...words, body }]));
}

/**
 * A canonical form of a valid traits body: sorted, without white space and escapes. If a value is
 * not a string, the body stays unchanged, because parsing may drop digits of numbers.
 */
function normalized(body: string): unknown {
  const { traits }: { readonly traits: Readonly<Record<string, unknown>> } = JSON.parse(body);
  const entries = Object.entries(traits);
  if (entries.some(([, value]) => typeof value !== 'string')) return body;
  return entries.toSorted(([left], [right]) => (left < right ? -1 : 1));
}

function isRefusal(outcome: AskingOutcome): outcome is AskingRefusal {
  return outcome.kind !== 'ok' && outcome.kind !== 'empty';
}

/** The answer after a refusal: the last good answer as a fallback, or else the refusal. */
function instead(known: KnownAnswer, refusal: AskingRefusal, now: Instant): NftAnswer {
  const good = withLastGood(known, refusal, now);
  return good === undefined ? refusal : cached(good, now, refusal.kind);
}

function answerOf(answer: GoodAnswer['reported']) {
  return answer.kind === 'ok' ? { ...answer, from: 'upstream' as const } : answer;
}

function cached(
  { at, reported: outcome }: GoodAnswer,
  now: Instant,
  insteadOf?: AskingRefusal['kind'] | 'slow',
): NftAnswer {
  const age = { ageSeconds: Math.max(0, Math.floor((now - at) / SECOND)) };
  return { ...answerOf(outcome), cached: insteadOf === undefined ? age : { ...age, insteadOf } };
}
