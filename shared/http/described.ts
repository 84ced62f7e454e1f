import * as z from 'zod';

/** A schema of the document: JSON Schema 2020-12, as OpenAPI 3.1 has it. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Schemas of requests describe what is written, schemas of answers what is read. */
export type Side = 'input' | 'output';

/** A schema that has a name in the document, with what it means. */
export type Component = {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly side: Side;
  readonly description: string;
  readonly members: Readonly<Record<string, string>>;
};

const named: Component[] = [];
/** All schemas that have a name: each is there once the file that names it is loaded. */
export const COMPONENTS: readonly Component[] = named;

/** Names a schema. */
export function register<Schema extends z.ZodType>(
  component: Component & { schema: Schema },
): Schema {
  named.push(component);
  return component.schema;
}

/** Names a schema of requests. */
export const input = ofSide('input');

/** Names a schema of answers, or of both. */
export const output = ofSide('output');

function ofSide(side: Side) {
  return <Schema extends z.ZodType>(
    title: string,
    schema: Schema,
    description: string,
    ...[members = {}]: Members<Schema>
  ): Schema => register({ name: title, schema, side, description, members });
}

/** The description of each member of an object: a member without words does not compile. */
type Members<Schema> =
  Schema extends z.ZodObject<infer Shape>
    ? [members: { readonly [Member in keyof Shape]: string }]
    : [members?: never];

/** Each member of an object, with its description. */
type Described = Readonly<Record<string, readonly [schema: z.ZodType, description: string]>>;
type Shape<Members extends Described> = { [Member in keyof Members]: Members[Member][0] };

/** The output of the schema of an answer. */
export type Answered<Schema extends z.ZodType> = Frozen<z.output<Schema>>;

/** The output of some members that answers share. */
export type AnsweredMembers<Of extends Described> = Answered<z.ZodObject<Shape<Of>>>;

/** A value that nothing changes. */
export type Frozen<Value> = unknown extends Value
  ? Value
  : Value extends string | number | boolean | null | undefined
    ? Value
    : { readonly [Member in keyof Value]: Frozen<Value[Member]> };

/** Names an object of answers. */
export function object<const Of extends Described>(title: string, description: string, of: Of) {
  return described(title, description, of, z.strictObject(schemasOf(of)));
}

/** Names an object of answers that may have other members too. */
export function openObject<const Of extends Described>(title: string, description: string, of: Of) {
  return described(title, description, of, z.looseObject(schemasOf(of)));
}

function described<Schema extends z.ZodObject>(
  title: string,
  description: string,
  of: Described,
  schema: Schema,
): Schema {
  const members = Object.fromEntries(
    Object.entries(of).map(([member, [, words]]) => [member, words]),
  );
  return register({ name: title, schema, side: 'output', description, members });
}

function schemasOf<Of extends Described>(of: Of): Shape<Of> {
  const schemas = Object.entries(of).map(([member, [schema]]) => [member, schema]);
  return Object.fromEntries(schemas);
}
