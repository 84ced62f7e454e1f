import { type Instant, SECOND } from '#shared/domain/market/instant.ts';
import type { Provider } from '#shared/domain/market/provider.ts';
import { isAnswer } from '#shared/domain/market/upstream.ts';
import { providerOfCursor } from '#shared/domain/nft-data/upstream-cursor.ts';
import type { NftQuestion } from './source.ts';
import type { AskUpstream } from './upstream-source.ts';

type OtherSource = { readonly provider: Provider; readonly ask: AskUpstream };

/**
 * Milliseconds after which no further provider is queried, because its answer would arrive too
 * late.
 */
const IN_TIME = 4 * SECOND;

/**
 * Asks the first provider. If the first provider does not answer in time, asks the other providers
 * in order. A cursor is sent to the provider that issued it.
 */
export function inTurn(
  first: AskUpstream,
  others: readonly OtherSource[],
  now: () => Instant,
): AskUpstream {
  if (others.length === 0) return first;
  return async (question, signal) => {
    const cursor = 'cursor' in question ? question.cursor : undefined;
    const given = cursor === undefined ? undefined : providerOfCursor(cursor);
    if (given !== undefined) {
      const giver = others.find(({ provider }) => provider === given.provider);
      if (giver === undefined) return { kind: 'failed', reason: 'bad_request' };
      return await giver.ask({ ...question, cursor: given.cursor } as NftQuestion, signal);
    }
    const begun = now();
    const answer = await first(question, signal);
    if (isAnswer(answer) || cursor !== undefined) return answer;
    for (const other of others) {
      if (now() - begun > IN_TIME) break;
      const instead = await other.ask(question, signal);
      if (isAnswer(instead)) return instead;
    }
    return answer;
  };
}
