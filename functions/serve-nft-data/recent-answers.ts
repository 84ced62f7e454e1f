import type { KnownAnswer } from '#shared/domain/nft-data/known-answer.ts';

/** Answers in the memory of one instance; they may be out of date. */
export type RecentAnswers = {
  readonly get: (id: string) => KnownAnswer | undefined;
  readonly keep: (id: string, known: KnownAnswer) => void;
};

const MOST_ENTRIES = 1000;
/** Characters of all bodies together; a character takes one or two bytes. */
const MOST_CHARACTERS = 32 * 1024 * 1024;

/** Keeps the newest answers, as many as fit into the function's memory beside its work. */
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
