import { isArchiveCursor } from '#shared/domain/archive/place.ts';
import type { NftDataSources } from '#shared/domain/nft-data/sources.ts';
import type { NftSource } from './source.ts';

/** The source that each operation is configured to have. */
export function chooseSource(
  sources: NftDataSources,
  upstream: NftSource,
  archive: NftSource,
): NftSource {
  return async (question, signal) => {
    const source = sources[question.operation];
    if (source === 'archive') return await archive(question, signal);
    if (source === 'upstream') return await upstream(question, signal);
    const { cursor } = { cursor: undefined, ...question };
    // A walk goes on where it began.
    if (cursor !== undefined) {
      const began = isArchiveCursor(cursor) ? archive : upstream;
      return await began(question, signal);
    }
    const answer = await upstream(question, signal);
    if (answer.kind === 'ok' || answer.kind === 'empty') return answer;
    const behind = await archive(question, signal);
    return behind.kind === 'ok' && behind.entries !== 0 ? behind : answer;
  };
}
