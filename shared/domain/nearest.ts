import { distance } from 'fastest-levenshtein';

const MOST_NAMES = 5;

/** What is meant by a name that is not among the known ones, in words: the nearest, or some. */
export function meantInstead(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'there is none';
  const nearest = nearestOf(name, known);
  if (nearest !== undefined) return `did you mean "${nearest}"?`;
  const some = known.slice(0, MOST_NAMES).map((other) => `"${other}"`);
  const more = known.length > MOST_NAMES ? ', …' : '';
  return `expected one of ${some.join(', ')}${more}`;
}

/** The known name that is nearly this one. */
export function nearestOf(name: string, known: readonly string[]): string | undefined {
  const [nearest] = known.toSorted((one, other) => distance(name, one) - distance(name, other));
  const isNear = nearest !== undefined && distance(name, nearest) <= Math.min(2, name.length / 2);
  return isNear ? nearest : undefined;
}
