/**
 * An object's own member with a name chosen by a caller. With an ordinary property access, the name
 * `constructor` would return an inherited member.
 */
export function ownMember<Value>(
  object: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
