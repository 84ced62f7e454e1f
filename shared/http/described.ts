import * as z from 'zod';

/** A schema of the document: JSON Schema 2020-12, as in OpenAPI 3.1. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The input type of a schema, which requests use, or its output type, which answers use. */
export type Side = 'input' | 'output';

/** A named schema of the document with its descriptions. */
export type Component = {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly side: Side;
  readonly description: string;
  readonly members: Readonly<Record<string, string>>;
};

const named: Component[] = [];
/** The named schemas of all loaded files. */
export const COMPONENTS: readonly Component[] = named;

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

/** The descriptions of an object's members. Every member needs one. */
type Members<Schema> =
  Schema extends z.ZodObject<infer Shape>
    ? [members: { readonly [Member in keyof Shape]: string }]
    : [members?: never];

/** The members of an object with their descriptions. */
type Described = Readonly<Record<string, readonly [schema: z.ZodType, description: string]>>;
type Shape<Members extends Described> = { [Member in keyof Members]: Members[Member][0] };

/** The type of an answer by its schema. */
export type Answered<Schema extends z.ZodType> = Frozen<z.output<Schema>>;

/** The type of members that several answers share. */
export type AnsweredMembers<Of extends Described> = Answered<z.ZodObject<Shape<Of>>>;

/** A deeply read-only type. */
export type Frozen<Value> = unknown extends Value
  ? Value
  : Value extends string | number | boolean | null | undefined
    ? Value
    : { readonly [Member in keyof Value]: Frozen<Value[Member]> };

/** Defines a named schema of an object in responses. It allows no additional members. */
export function object<const Of extends Described>(title: string, description: string, of: Of) {
  return described(title, description, of, z.strictObject(schemasOf(of)));
}

/** Defines a named schema of an object in responses. It allows additional members. */
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
