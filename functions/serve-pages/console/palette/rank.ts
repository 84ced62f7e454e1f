/** An item that a search finds by its texts. */
export type Findable = {
  readonly title: string;
  /** Other texts by which a search finds the item: an id, an address, the name of its list. */
  readonly also: readonly string[];
};

/** The score of each kind of match. */
const FITS = { start: 8, wordStart: 6, inside: 4, beginnings: 2 } as const;

/**
 * Filters and sorts items by a query, best match first. Each word of the query must match: the
 * start of a text, the start of a word, the middle of a word, or the first letters of several words
 * (`mapes`: Moonlit Apes). A match in the title counts twice as much as a match in another text.
 * Items with equal scores keep their order.
 */
export function rank<Thing extends Findable>(
  query: string,
  things: readonly Thing[],
): readonly Thing[] {
  const words = plain(query).split(/\s+/).filter(Boolean);
  return things
    .map((thing) => ({ thing, score: scoreOf(words, thing) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({ thing }) => thing);
}

function scoreOf(words: readonly string[], { title, also }: Findable): number {
  if (words.length === 0) return 1;
  const [first, ...others] = [title, ...also].map(plain);
  const scores = words.map((word) => {
    const ofTitle = 2 * scoreIn(word, first ?? '');
    return Math.max(ofTitle, ...others.map((text) => scoreIn(word, text)));
  });
  // Each word of the query must match.
  if (Math.min(...scores) === 0) return 0;
  const whole = (first ?? '').startsWith(words.join(' ')) ? FITS.start : 0;
  return scores.reduce((sum, score) => sum + score, whole) / scores.length;
}

function scoreIn(word: string, text: string): number {
  if (text.startsWith(word)) return FITS.start;
  const parts = text.split(word);
  if (parts.length === 1) {
    const isMade = hasBeginnings(word, text.split(/[^\p{L}\p{N}]+/u));
    return isMade ? FITS.beginnings : 0;
  }
  const startsWord = parts.slice(0, -1).some((before) => !/[\p{L}\p{N}]$/u.test(before));
  return startsWord ? FITS.wordStart : FITS.inside;
}

/** Whether a word consists of first letters of several words, in order. */
function hasBeginnings(word: string, parts: readonly string[]): boolean {
  /** Lengths of the prefixes of `word` that the parts up to here can form. */
  const matched = new Set([0]);
  for (const part of parts) {
    for (const before of [...matched]) {
      for (let letters = 0; word[before + letters] === part[letters]; letters += 1) {
        if (letters === part.length) break;
        matched.add(before + letters + 1);
      }
    }
  }
  return matched.has(word.length);
}

/** Removes case and accents. */
function plain(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
