import fc from 'fast-check';
import * as z from 'zod';
import { servedDocument } from '#test/support/documented.ts';

export type Schema = Readonly<Record<string, unknown>>;

const Components = z.object({
  components: z.object({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
});
const { schemas } = Components.parse(servedDocument).components;
const named = new Map<string, fc.Arbitrary<unknown>>();

/**
 * Random values that a schema of the OpenAPI document allows. Supports only the keywords in the
 * document, and throws on any other, so that a new keyword cannot produce wrong values unnoticed.
 */
export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  const known = Keywords.parse(schema);
  const all = known.$ref === undefined ? valuesByKeyword(known) : valuesByName(known.$ref);
  const shown = known.examples ?? [];
  return shown.length === 0 ? all : fc.oneof(all, fc.constantFrom(...shown));
}

function valuesByName(reference: string): fc.Arbitrary<unknown> {
  const name = reference.slice('#/components/schemas/'.length);
  const values = named.get(name) ?? valuesOf(schemas[name] ?? {});
  named.set(name, values);
  return values;
}

function valuesByKeyword(schema: Keywords): fc.Arbitrary<unknown> {
  if (schema.oneOf !== undefined && schema.properties !== undefined) return formsOf(schema);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return fc.oneof(...choices.map(valuesOf));
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return fc.jsonValue();
  return fc.oneof(...types.map((type) => valuesOfType(type, schema)));
}

/** Objects with common members; each alternative requires, restricts and forbids some of them. */
function formsOf({ oneOf: forms = [], ...common }: Keywords): fc.Arbitrary<unknown> {
  return fc.oneof(
    ...forms.map((form) => {
      const { properties = {}, required = [], not } = Form.parse(form);
      const forbidden = not.anyOf.flatMap(({ required: [member, ...others] }) =>
        others.length === 0 ? member : others,
      );
      const members = Object.entries(common.properties ?? {})
        .filter(([name]) => !forbidden.includes(name))
        .map(([name, schema]) => [name, { ...schema, ...properties[name] }] as const);
      return valuesByKeyword({
        ...common,
        properties: Object.fromEntries(members),
        required: [...(common.required ?? []), ...required],
      });
    }),
  );
}

function valuesOfType(type: Type, schema: Keywords): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number': {
      const { minimum: min = 0, maximum: max = 1_000_000 } = schema;
      return type === 'integer' ? fc.integer({ min, max }) : fc.double({ min, max, noNaN: true });
    }
    case 'string':
      return texts(schema);
    case 'array':
      return lists(schema);
    case 'object':
      return objects(schema);
  }
}

function texts({ format, pattern, minLength = 0, maxLength = 300 }: Keywords) {
  const isOfForm = (text: string) =>
    text.length >= minLength && text.length <= maxLength && new RegExp(pattern ?? '').test(text);
  if (format === 'date-time') return moments;
  if (format === 'email') return fc.stringMatching(/^[a-z0-9]{1,9}@[a-z0-9]{1,9}\.example$/);
  if (format === 'uri') return fc.constantFrom(...URIS).filter(isOfForm);
  if (pattern === undefined) return fc.string({ minLength, maxLength, unit: 'grapheme' });
  return fc.stringMatching(new RegExp(withoutLooking(pattern))).filter(isOfForm);
}

const moments = fc
  .date({ min: new Date('2020-01-01Z'), max: new Date('2035-01-01Z'), noInvalidDate: true })
  .map((date) => date.toISOString());

/** No test sends a request to these addresses. */
const URIS = [
  'http://127.0.0.1:9/hook',
  'https://example.com/hook',
  'https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=arn:aws:sns:us-east-1:000000000000:floorwatch-local-x&Token=0123456789',
];

/** fast-check cannot generate strings for a negative lookahead; a filter applies it instead. */
function withoutLooking(pattern: string): string {
  return pattern.replace(/\(\?![^()]*(\([^()]*\)[^()]*)*\)/, '');
}

function lists({ items = {}, minItems = 0, maxItems = 8, uniqueItems }: Keywords) {
  const length = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 8)) };
  const values = valuesOf(items);
  return uniqueItems
    ? fc.uniqueArray(values, { ...length, selector: (value) => JSON.stringify(value) })
    : fc.array(values, length);
}

function objects(schema: Keywords): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties, propertyNames = {} } = schema;
  const members = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, of]) => [name, valuesOf(of)])),
    { requiredKeys: [...required] },
  );
  if (typeof additionalProperties !== 'object') return members;
  const { minProperties = 0, maxProperties = 5 } = schema;
  const others = fc.dictionary(
    valuesOf({ type: 'string', ...propertyNames }).map(String),
    valuesOf(additionalProperties),
    { minKeys: minProperties, maxKeys: Math.min(maxProperties, 5) },
  );
  return fc.tuple(others, members).map(([other, member]) => ({ ...other, ...member }));
}

const Type = z.enum(['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']);
type Type = z.output<typeof Type>;
const AnySchema = z.record(z.string(), z.unknown());
const Form = z.strictObject({
  properties: z.record(z.string(), AnySchema).optional(),
  required: z.array(z.string()).optional(),
  not: z.object({ anyOf: z.array(z.object({ required: z.array(z.string()) })) }),
});
const Keywords = z.strictObject({
  ...{ $ref: z.string().optional(), const: z.unknown().optional() },
  type: z.union([Type, z.array(Type)]).optional(),
  enum: z.array(z.unknown()).optional(),
  oneOf: z.array(AnySchema).optional(),
  anyOf: z.array(AnySchema).optional(),
  ...{ format: z.enum(['date-time', 'email', 'uri']).optional(), pattern: z.string().optional() },
  ...{ minLength: z.number().optional(), maxLength: z.number().optional() },
  ...{ minimum: z.number().optional(), maximum: z.number().optional() },
  ...{ items: AnySchema.optional(), uniqueItems: z.boolean().optional() },
  ...{ minItems: z.number().optional(), maxItems: z.number().optional() },
  ...{ properties: z.record(z.string(), AnySchema).optional() },
  ...{ required: z.array(z.string()).optional(), propertyNames: AnySchema.optional() },
  additionalProperties: z.union([z.boolean(), AnySchema]).optional(),
  ...{ minProperties: z.number().optional(), maxProperties: z.number().optional() },
  examples: z.array(z.unknown()).optional(),
  /** These keywords only document a value, and do not restrict it. */
  ...{ description: z.string().optional(), title: z.string().optional() },
  ...{ default: z.unknown().optional(), discriminator: z.unknown().optional() },
});
type Keywords = z.output<typeof Keywords>;
