/** The type of an object without some of its members. */
type Without<Value, Name extends PropertyKey> = Value extends unknown ? Omit<Value, Name> : never;

/** An object without some of its members. Symbol members are kept. */
export function omit<Value extends object, const Name extends keyof Value>(
  value: Value,
  ...names: readonly Name[]
): Without<Value, Name>;
export function omit(value: object, ...names: readonly PropertyKey[]): object {
  const kept = { ...value };
  for (const name of names) Reflect.deleteProperty(kept, name);
  return kept;
}
