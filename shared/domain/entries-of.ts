/** The entries of a record whose names are known; `Object.entries` forgets their type. */
export function entriesOf<Name extends string, Value>(
  record: Readonly<Partial<Record<Name, Value>>>,
): [Name, Value][];
export function entriesOf(record: object): [string, unknown][] {
  return Object.entries(record);
}
