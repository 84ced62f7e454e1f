/** `Object.entries` with the type of the names. */
export function entriesOf<Name extends string, Value>(
  record: Readonly<Partial<Record<Name, Value>>>,
): [Name, Value][];
export function entriesOf(record: object): [string, unknown][] {
  return Object.entries(record);
}
