import { inert } from './inert-text.ts';

/** A title in its parts: our own words, and names, which are escaped and shortened first. */
export type TitlePart = string | Name;

/** A name that people or providers gave, and an id that stands for it where only ASCII is allowed. */
export type Name = { readonly name: string; readonly otherwise: string };

/** As much of a name as tells it from others. */
const TELLING = 20;
/** A label and a collection. */
const NAMES_OF_ALERT = 2;

export function titleText(parts: readonly TitlePart[]): string {
  return parts.map(partText).join('');
}

/**
 * A title within a limit, and within a shorter one if names of twenty characters are enough for
 * that. The longest names are shortened first. Where even that leaves no room for the rest, the end
 * is cut.
 */
export function titleWithin(
  parts: readonly TitlePart[],
  { limit, preferred = limit, cut }: Form,
): string {
  const isName = (part: TitlePart) => typeof part !== 'string';
  const lengthOf = (part: TitlePart) => cut(partText(part), Number.POSITIVE_INFINITY).length;
  const lengths = parts.filter(isName).map(lengthOf);
  const rest = sum(parts.filter((part) => !isName(part)).map(lengthOf));
  const telling = longestWithin(lengths, preferred - rest, TELLING);
  // Of many alerts, the first in full say more than all without their names.
  const least = lengths.length > NAMES_OF_ALERT ? TELLING : 1;
  const shortest = longestWithin(lengths, limit - rest, least);
  const shorter = Math.min(telling, shortest > 1 ? shortest : telling);
  let left = limit;
  const written = parts.map((part) => {
    const text = left > 0 ? cut(partText(part), Math.min(left, isName(part) ? shorter : left)) : '';
    left -= text.length;
    return text;
  });
  return written.join('');
}

type Form = {
  readonly limit: number;
  readonly preferred?: number;
  /** The beginning of a text as it is written, with an ellipsis, in so many characters. */
  readonly cut: (text: string, limit: number) => string;
};

/** The longest that texts may be to be within so many characters together, but not below a least. */
function longestWithin(lengths: readonly number[], room: number, least: number): number {
  let most = Math.max(least, ...lengths);
  while (most > least && sum(lengths.map((length) => Math.min(length, most))) > room) most -= 1;
  return most;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function partText(part: TitlePart): string {
  return typeof part === 'string' ? part : inert(part.name);
}
