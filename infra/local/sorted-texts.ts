/** A sorted set of texts; insertion stays fast with a million entries. */
export type SortedTexts = {
  readonly add: (text: string) => void;
  readonly remove: (text: string) => void;
  /** The texts between two bounds, both inclusive, in ascending or descending order. */
  readonly between: (from: string, to: string, descending?: boolean) => Iterable<string>;
};

/** A sorted array is split into pieces, so that an insertion moves only one piece. */
const LARGEST_PIECE = 512;

export function createSortedTexts(): SortedTexts {
  const pieces: string[][] = [[]];
  /** The piece that contains a text, or would contain it. */
  const pieceFor = (text: string) =>
    Math.max(0, firstWhere(pieces, ([lowest = '']) => lowest > text) - 1);

  return {
    add: (text) => {
      const index = pieceFor(text);
      const piece = pieces[index] ?? [];
      const place = firstWhere(piece, (other) => other >= text);
      if (piece[place] === text) return;
      piece.splice(place, 0, text);
      if (piece.length > LARGEST_PIECE) {
        pieces.splice(index + 1, 0, piece.splice(LARGEST_PIECE / 2));
      }
    },

    remove: (text) => {
      const index = pieceFor(text);
      const piece = pieces[index] ?? [];
      const place = firstWhere(piece, (other) => other >= text);
      if (piece[place] !== text) return;
      piece.splice(place, 1);
      if (piece.length === 0 && pieces.length > 1) pieces.splice(index, 1);
    },

    *between(from, to, descending = false) {
      const step = descending ? -1 : 1;
      for (let index = pieceFor(descending ? to : from); pieces[index]; index += step) {
        const piece = pieces[index] ?? [];
        for (const text of descending ? piece.toReversed() : piece) {
          if (descending ? text < from : text > to) return;
          if (text >= from && text <= to) yield text;
        }
      }
    },
  };
}

/** The first index at which a predicate holds; the length if there is none. */
function firstWhere<Thing>(things: readonly Thing[], holds: (thing: Thing) => boolean): number {
  let low = 0;
  let high = things.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const thing = things[middle];
    if (thing !== undefined && holds(thing)) high = middle;
    else low = middle + 1;
  }
  return low;
}
