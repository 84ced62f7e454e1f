/** What an object looks like when a member that is undefined is none. */
type Defined<Value> = {
  [Name in keyof Value as undefined extends Value[Name] ? never : Name]: Value[Name];
} & {
  [Name in keyof Value as undefined extends Value[Name] ? Name : never]?: Exclude<
    Value[Name],
    undefined
  >;
};

/** An object without its members that are undefined. */
export function defined<Value extends object>(value: Value): Defined<Value>;
export function defined(value: object): object {
  const members = Object.entries(value);
  const kept = members.filter(([, member]) => member !== undefined);
  return kept.length === members.length ? value : Object.fromEntries(kept);
}
