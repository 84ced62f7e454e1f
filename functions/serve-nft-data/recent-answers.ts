import type { KnownAnswer } from '#shared/domain/nft-data/known-answer.ts';

/** Answers cached in the memory of an instance; they may be outdated. */
export type RecentAnswers = {
  readonly get: (id: string) => KnownAnswer | undefined;
  readonly keep: (id: string, known: KnownAnswer) => void;
};

const MOST_ENTRIES = 1000;
/** The maximum total length of all bodies, in characters. A character takes one or two bytes. */
const MOST_CHARACTERS = 32 * 1024 * 1024;

/** Caches the newest answers that fit into the memory of the function. */
export function createRecentAnswers(): RecentAnswers {
  const entries = new Map<string, KnownAnswer>();
  let characters = 0;
  const drop = (id: string) => {
    characters -= sizeOf(entries.get(id));
    entries.delete(id);
  };
  return {
    get: (id) => entries.get(id),

    keep: (id, known) => {
      drop(id);
      entries.set(id, known);
      characters += sizeOf(known);
      for (const oldest of entries.keys()) {
        if (entries.size <= MOST_ENTRIES && characters <= MOST_CHARACTERS) break;
        drop(oldest);
      }
    },
  };
}

function sizeOf(known: KnownAnswer | undefined): number {
  return known?.good?.reported.kind === 'ok' ? known.good.reported.body.length : 0;
}
