/**
 * The attributes of an item that only another version has. They are stored under this symbol, which
 * copies keep, so that a rewrite preserves them.
 */
const UNKNOWN = Symbol('attributes that only another version knows');

export function withUnknown<Known extends object>(
  known: Known,
  unknown: Readonly<Record<string, unknown>>,
): Known {
  return Object.keys(unknown).length === 0 ? known : { ...known, [UNKNOWN]: unknown };
}

/** The unknown attributes of a value. */
export function unknownAttributes(value: object): object {
  const unknown = UNKNOWN in value ? value[UNKNOWN] : undefined;
  return typeof unknown === 'object' && unknown !== null ? unknown : {};
}

/** The unknown attributes of a value, for an object that replaces it. */
export function carriedFrom(before: object | undefined): object {
  return withUnknown({}, { ...(before && unknownAttributes(before)) });
}
