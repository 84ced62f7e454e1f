import { distance } from 'fastest-levenshtein';

const MOST_NAMES = 5;

/** A suggestion for an unknown name: the nearest known name, or else a list of some known names. */
export function meantInstead(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'none exists yet';
  const nearest = nearestOf(name, known);
  if (nearest !== undefined) return `did you mean "${nearest}"?`;
  const some = known.slice(0, MOST_NAMES).map((other) => `"${other}"`);
  const more = known.length > MOST_NAMES ? ', …' : '';
  return `expected one of ${some.join(', ')}${more}`;
}

/** The known name with the smallest edit distance, if it is similar enough. */
export function nearestOf(name: string, known: readonly string[]): string | undefined {
  const most = Math.min(2, name.length / 2);
  // A difference in length is a lower bound of the distance. Without this bound, a long name from a
  // request would take seconds.
  const similar = known.filter(({ length }) => Math.abs(length - name.length) <= most);
  const [nearest] = similar.toSorted((one, other) => distance(name, one) - distance(name, other));
  return nearest !== undefined && distance(name, nearest) <= most ? nearest : undefined;
}
