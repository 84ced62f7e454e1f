/**
 * The key of an item's attributes that only another version defines. A symbol, because copies of an
 * object keep it, so that these attributes are written back.
 */
const UNKNOWN = Symbol('attributes that only another version defines');

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
