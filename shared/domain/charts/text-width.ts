/** Widths of characters relative to the font size, rounded up. */
const WIDTHS: readonly (readonly [RegExp, number])[] = [
  [/[ .,:;'|!iljI·]/, 0.33],
  [/[-()[\]frt/1]/, 0.48],
  [/[mwMW@%—…]/, 1],
  [/[a-z0-9$?_"*]/, 0.67],
];
const WIDEST = 0.88;

/** An upper bound for the width of a text at a font size. */
export function textWidth(text: string, size: number): number {
  const ofCharacter = (character: string) =>
    WIDTHS.find(([characters]) => characters.test(character))?.[1] ?? WIDEST;
  return [...text].reduce((sum, character) => sum + ofCharacter(character) * size, 0);
}

/**
 * A text with the largest font size that fits. If the smallest size is too large, the text is cut.
 */
export function fitText(
  text: string,
  room: number,
  sizes: { readonly most: number; readonly least: number },
): { readonly text: string; readonly size: number } {
  const size = Math.min(sizes.most, Math.floor(room / textWidth(text, 1)));
  if (size >= sizes.least) return { text, size };
  const characters = [...text];
  const fits = (length: number) =>
    textWidth(`${characters.slice(0, length).join('')}…`, sizes.least) <= room;
  const length = characters.findLastIndex((_, index) => fits(index));
  return { text: `${characters.slice(0, length).join('').trimEnd()}…`, size: sizes.least };
}
