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
  standIn,
  wasHeard,
} from '#shared/domain/nft-data/known-answer.ts';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { createRecentAnswers } from './recent-answers.ts';
import type { NftAnswer, NftQuestion, NftSource, RecallAnswer } from './source.ts';
import type { AskUpstream } from './upstream-source.ts';

export type SharedAnswersPorts = {
  readonly now: () => Instant;
  readonly sleepUntil: (instant: Instant, signal: AbortSignal) => Promise<void>;
  readonly getAnswer: (id: string) => Promise<KnownAnswer | undefined>;
  /** Rejects with VersionConflictError where it has changed since it was read. */
  readonly putAnswer: (id: string, known: KnownAnswer) => Promise<KnownAnswer>;
  readonly askUpstream: AskUpstream;
  readonly report: (
    event: 'answer_not_kept' | 'refresh_failed',
    fields: { readonly error: unknown },
  ) => void;
};

/** How often who waits for another's answer looks whether it has come. */
const LOOK_EVERY = SECOND / 10;
/** So long a request waits where an older answer is at hand. */
const SHORT_WAIT = SECOND;
/** So long a request waits for the answers of others; then there is just time left to ask itself. */
const PATIENCE = 12 * SECOND;

/**
 * The answers of the upstream, shared by all who ask the same: one asks, the others wait for what
 * comes; what has just been reported is reported again; while the upstream fails, the last good
 * answer stands in; and where it takes long, an older answer is reported and the call goes on
 * behind it.
 *
 * Lambda freezes an instance that has answered, and lets the call go on with its next request, or
 * never. So nothing relies on its end: others wait a short time too, the claim ends by itself, then
 * the next request asks. A refusal from behind is not written: it may be of the freezing. After ten
 * minutes without the end of a try one request waits for it.
 *
 * Requests that meet are those of different instances, so they meet in the table: who asks has
 * claimed the question there, for as long as asking takes. What an instance remembers only saves
 * the reading, since every write is conditional.
 */
export function createSharedAnswers(ports: SharedAnswersPorts): {
  /** Reports only what is fresh. */
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

  /** Writes and remembers it; undefined where somebody else has been quicker. */
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

  /** Asks, and lets the others know. The answer counts even where that fails. */
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
    return isRefusal(outcome) ? instead(next, outcome, now()) : tell(outcome);
  };

  /** The same, but the older answer where that takes long: then it goes on behind. */
  const askSoon = async (
    id: string,
    known: KnownAnswer,
    question: NftQuestion,
    signal: AbortSignal,
  ): Promise<NftAnswer> => {
    const older = wasHeard(known, now()) ? olderAnswer(known, now()) : undefined;
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
      while (now() - begun < PATIENCE) {
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
  const body = question.operation === 'traits' ? ruleConditionOf(question.body) : undefined;
  return answerId(JSON.stringify([contractKey(contract), { ...words, body }]));
}

/**
 * A checked body without its white space, escapes and order. A value that is no text stands as it
 * came: a number may have more digits than one that is read.
 */
function ruleConditionOf(body: string): unknown {
  const { traits }: { readonly traits: Readonly<Record<string, unknown>> } = JSON.parse(body);
  const entries = Object.entries(traits);
  if (entries.some(([, value]) => typeof value !== 'string')) return body;
  return entries.toSorted(([left], [right]) => (left < right ? -1 : 1));
}

function isRefusal(outcome: AskingOutcome): outcome is AskingRefusal {
  return outcome.kind !== 'ok' && outcome.kind !== 'empty';
}

/** What is reported where asking brought no answer. */
function instead(known: KnownAnswer, refusal: AskingRefusal, now: Instant): NftAnswer {
  const good = standIn(known, refusal, now);
  return good === undefined ? refusal : cached(good, now, refusal.kind);
}

function tell(answer: GoodAnswer['reported']) {
  return answer.kind === 'ok' ? { ...answer, from: 'upstream' as const } : answer;
}

function cached(
  { at, reported: outcome }: GoodAnswer,
  now: Instant,
  insteadOf?: AskingRefusal['kind'] | 'slow',
): NftAnswer {
  const age = { ageSeconds: Math.max(0, Math.floor((now - at) / SECOND)) };
  return { ...tell(outcome), cached: insteadOf === undefined ? age : { ...age, insteadOf } };
}
