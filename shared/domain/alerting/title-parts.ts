import { defang } from './defang.ts';

/** A part of a title: our own words, or a name, which is escaped and shortened first. */
export type TitlePart = string | Name;

/** A name given by people or providers, and an id to use instead where only ASCII is allowed. */
export type Name = { readonly name: string; readonly otherwise: string };

/** Number of characters that distinguish most names. */
const TELLING = 20;
/** The number of names in the title of a single alert: its label and its collection. */
const NAMES_OF_ALERT = 2;

export function titleText(parts: readonly TitlePart[]): string {
  return parts.map(partText).join('');
}

/**
 * Shortens a title to a limit, or to the preferred length if its names keep at least twenty
 * characters. The longest names are shortened first. If this is not enough, the end is cut.
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
  // In a title with many alerts, a few full names are more useful than many truncated ones.
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
  /** The beginning of a text within a limit, escaped and with an ellipsis. */
  readonly cut: (text: string, limit: number) => string;
};

/**
 * The greatest maximum length of a text at which all texts together fit into `room`, but at least
 * `least`.
 */
function longestWithin(lengths: readonly number[], room: number, least: number): number {
  let most = Math.max(least, ...lengths);
  while (most > least && sum(lengths.map((length) => Math.min(length, most))) > room) most -= 1;
  return most;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function partText(part: TitlePart): string {
  return typeof part === 'string' ? part : defang(part.name);
}
