/** The type of an object without undefined members. */
type Defined<Value> = {
  [Name in keyof Value as undefined extends Value[Name] ? never : Name]: Value[Name];
} & {
  [Name in keyof Value as undefined extends Value[Name] ? Name : never]?: Exclude<
    Value[Name],
    undefined
  >;
};

/** An object without its undefined members. */
export function defined<Value extends object>(value: Value): Defined<Value>;
export function defined(value: object): object {
  const gone = Object.entries(value).flatMap(([name, member]) =>
    member === undefined ? [name] : [],
  );
  if (gone.length === 0) return value;
  const kept = { ...value };
  for (const name of gone) Reflect.deleteProperty(kept, name);
  return kept;
}
