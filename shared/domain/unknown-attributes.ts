/**
 * Attributes of an item that only another version knows. A copy of what was read carries them by
 * this symbol, so a rewrite keeps them.
 */
const UNKNOWN = Symbol('attributes that only another version knows');

export function withUnknown<Known extends object>(
  known: Known,
  unknown: Readonly<Record<string, unknown>>,
): Known {
  return Object.keys(unknown).length === 0 ? known : { ...known, [UNKNOWN]: unknown };
}

/** The unknown attributes that a value carries. */
export function unknownOf(value: object): object {
  const unknown = UNKNOWN in value ? value[UNKNOWN] : undefined;
  return typeof unknown === 'object' && unknown !== null ? unknown : {};
}

/** What a value that is built in the place of another has to carry on. */
export function carriedFrom(before: object | undefined): object {
  return withUnknown({}, { ...(before && unknownOf(before)) });
}
