import { OPERATIONS, type UpstreamCall } from '#shared/domain/market/operations.ts';
import type { RawQuestion } from '#shared/domain/market/upstream.ts';
import { isAnswerable } from '#shared/domain/nft-data/answer-size.ts';
import type { AskingOutcome } from '#shared/domain/nft-data/known-answer.ts';
import { cursorForUpstream } from '#shared/domain/nft-data/upstream-cursor.ts';
import { callOnce, type RateLimitedCalls } from '#shared/use-cases/rate-limited-call.ts';
import type { MainUpstream } from '#shared/use-cases/upstream.ts';
import type { NftQuestion } from './source.ts';

export type UpstreamSourcePorts = RateLimitedCalls & Pick<MainUpstream, 'answer'>;

/**
 * Asks the upstream, within the share of the rate limits that is reserved for the v2.2 interface.
 */
export type AskUpstream = (question: NftQuestion, signal: AbortSignal) => Promise<AskingOutcome>;

export function createUpstreamSource(ports: UpstreamSourcePorts): AskUpstream {
  return (question, signal) => askBy(ports, OPERATIONS[question.operation].calls, question, signal);
}

/**
 * Makes the first available call of an operation. If the upstream does not support this call, tries
 * the next one.
 */
async function askBy(
  ports: UpstreamSourcePorts,
  ways: readonly UpstreamCall[],
  question: NftQuestion,
  signal: AbortSignal,
): Promise<AskingOutcome> {
  const made = await callOnce(
    ports,
    ways,
    (call) => ports.answer(rawQuestion(question, call), signal),
    signal,
  );
  if (made.call === undefined) return { kind: 'no_capacity', until: made.until };
  const { call, outcome } = made;
  if (outcome.kind === 'ok') {
    return isAnswerable(outcome.value)
      ? { kind: 'ok', body: outcome.value }
      : { kind: 'failed', reason: 'too_large' };
  }
  const others = ways.slice(ways.indexOf(call) + 1);
  const isNotOffered =
    (outcome.kind === 'unsupported' && outcome.reason === 'retired') ||
    (outcome.kind === 'denied' && outcome.reason === 'plan');
  return isNotOffered && others.length > 0 ? await askBy(ports, others, question, signal) : outcome;
}

function rawQuestion(question: NftQuestion, call: UpstreamCall): RawQuestion {
  const { contract, cursor: reported } = { cursor: undefined, ...question };
  const cursor = reported === undefined ? undefined : cursorForUpstream(reported);
  switch (question.operation) {
    case 'traits': {
      const { format, limit, normalizeMetadata, media_items, body } = question;
      const parameters = texts({ format, limit, cursor, normalizeMetadata, media_items });
      return { way: 'nfts-by-traits', contract, parameters, body };
    }
    case 'floor': {
      const parameters = texts({ interval: question.interval, cursor });
      return { way: 'floor-price/historical', contract, parameters };
    }
    case 'lowest': {
      const { days, marketplace } = question;
      const way = call === 'price' ? 'price' : 'lowestprice';
      return { way, contract, parameters: texts({ days, marketplace }) };
    }
  }
}

/** The given parameters as texts. */
function texts(
  values: Readonly<Record<string, string | number | boolean | undefined>>,
): Readonly<Record<string, string>> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, `${value}`]));
}
