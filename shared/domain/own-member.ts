/**
 * The own member of an object by a name that a caller chose. A plain look-up of `constructor` would
 * find the member that every object inherits.
 */
export function ownMember<Value>(
  object: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
