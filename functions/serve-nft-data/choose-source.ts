import { isArchiveCursor } from '#shared/domain/archive/place.ts';
import { HOUR, SECOND } from '#shared/domain/market/instant.ts';
import type { NftDataSources } from '#shared/domain/nft-data/sources.ts';
import type { NftAnswer, NftSource, RecallAnswer } from './source.ts';

/** The source that each operation is configured to have. */
export function chooseSource(
  sources: NftDataSources,
  upstream: { readonly recall: RecallAnswer; readonly ask: NftSource },
  archive: NftSource,
): { readonly recall: RecallAnswer; readonly ask: NftSource } {
  return {
    recall: async (question) =>
      sources[question.operation] === 'archive' ? undefined : await upstream.recall(question),

    ask: async (question, signal) => {
      const source = sources[question.operation];
      if (source === 'archive') return await archive(question, signal);
      const { cursor } = { cursor: undefined, ...question };
      // A walk goes on where it began.
      if (cursor !== undefined && isArchiveCursor(cursor)) {
        return source === 'upstream' ? { kind: 'bad_cursor' } : await archive(question, signal);
      }
      const answer = await upstream.ask(question, signal);
      if (source === 'upstream' || cursor !== undefined || suffices(answer)) return answer;
      const behind = await archive(question, signal);
      return behind.kind === 'ok' && behind.entries !== 0 ? behind : answer;
    },
  };
}

/**
 * Whether the archive need not be asked: while the upstream fails, its last good answer goes first
 * for an hour, then what the archive knows, then that answer again. What the upstream does not
 * offer any more, the archive tells first.
 */
function suffices(answer: NftAnswer): boolean {
  if (answer.kind !== 'ok' && answer.kind !== 'empty') return false;
  const { ageSeconds = 0, insteadOf } = answer.retold ?? {};
  if (insteadOf === undefined) return true;
  return insteadOf !== 'unsupported' && ageSeconds * SECOND <= HOUR;
}
