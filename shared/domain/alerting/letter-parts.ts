import { type Letter, letterText } from './letter.ts';

/** A letter's text in three: what it is about, what there is to tell, and where it belongs. */
export type LetterParts = {
  readonly subject: string;
  readonly details: string;
  readonly footer: string;
};

export function partsOf(letter: Letter): LetterParts {
  const [subject = '', ...rest] = letterText(letter).split('\n\n');
  const footer = rest.pop() ?? '';
  return { subject, details: rest.join('\n\n'), footer };
}

/**
 * As much of a text as fits, each character in the form in which it is written. Counted in UTF-16,
 * of which a vendor that counts characters counts fewer.
 */
export function fitted(
  text: string,
  limit: number,
  written: (character: string) => string = (character) => character,
): string {
  const whole = [...text].map(written);
  if (whole.join('').length <= limit) return whole.join('');
  let kept = '';
  for (const character of whole) {
    if (kept.length + character.length > limit - 1) break;
    kept += character;
  }
  return `${kept}…`;
}
