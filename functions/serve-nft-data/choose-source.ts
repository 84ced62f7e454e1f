import * as z from 'zod';
import { isArchiveCursor } from '#shared/domain/archive/place.ts';
import { JsonText } from '#shared/domain/json-text.ts';
import { HOUR, SECOND } from '#shared/domain/market/instant.ts';
import type { NftDataSources } from '#shared/domain/nft-data/sources.ts';
import type { NftAnswer, NftQuestion, NftSource, RecallAnswer } from './source.ts';

export type ChosenSource = {
  readonly recall: RecallAnswer;
  readonly ask: NftSource;
  /**
   * Whether a query is sent to the upstream first. The cost of the query in units depends on this.
   */
  readonly asksUpstream: (question: NftQuestion) => boolean;
};

/** Selects the configured source of each operation. */
export function chooseSource(
  sources: NftDataSources,
  upstream: Pick<ChosenSource, 'recall' | 'ask'>,
  archive: NftSource,
): ChosenSource {
  // A cursor must return to the source that issued it.
  const asksUpstream: ChosenSource['asksUpstream'] = (question) =>
    sources[question.operation] !== 'archive' && !isArchiveCursor(cursorOf(question) ?? '');

  return {
    asksUpstream,

    recall: async (question) => {
      const source = sources[question.operation];
      if (source === 'archive') return undefined;
      const known = await upstream.recall(question);
      const isBehind = source === 'upstream-then-archive';
      return known !== undefined && isBehind && isWithoutData(known) ? undefined : known;
    },

    ask: async (question, signal) => {
      const source = sources[question.operation];
      const cursor = cursorOf(question);
      if (!asksUpstream(question)) {
        return source === 'upstream' ? { kind: 'bad_cursor' } : await archive(question, signal);
      }
      const answer = await upstream.ask(question, signal);
      if (source === 'upstream' || cursor !== undefined || suffices(answer)) return answer;
      const behind = await archive(question, signal);
      return behind.kind === 'ok' && behind.entries !== 0 ? behind : answer;
    },
  };
}

function cursorOf(question: NftQuestion): string | undefined {
  return question.operation === 'lowest' ? undefined : question.cursor;
}

/**
 * Whether an answer of the upstream is good enough, so that the archive is not read. While the
 * upstream fails, its last good answer is used for an hour, then the archive, and if the archive
 * has no data, the last good answer again. If the upstream has no data or has retired the
 * operation, the archive is preferred.
 */
function suffices(answer: NftAnswer): boolean {
  if (answer.kind !== 'ok' || isWithoutData(answer)) return false;
  const { ageSeconds = 0, insteadOf } = answer.cached ?? {};
  if (insteadOf === undefined) return true;
  return insteadOf !== 'unsupported' && ageSeconds * SECOND <= HOUR;
}

/** Whether an answer has no data: no trade, or a page without entries. */
function isWithoutData(answer: NftAnswer): boolean {
  if (answer.kind !== 'ok') return answer.kind === 'empty';
  return answer.body.length <= LONGEST_EMPTY_PAGE && EmptyPage.safeParse(answer.body).success;
}

/** Pages with more characters than this are not parsed, because they cannot be empty. */
const LONGEST_EMPTY_PAGE = 1000;
const EmptyPage = JsonText.pipe(z.object({ result: z.tuple([]) }));
