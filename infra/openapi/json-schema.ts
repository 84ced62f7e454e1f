import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { severalForms } from '#functions/serve-api/watchlists/requests.ts';
import { KINDS } from '#shared/channels/kinds.ts';
import { confirmationLinkForms } from '#shared/domain/channels/confirmation-link.ts';
import { chainForms } from '#shared/domain/market/chains.ts';
import { collectionTextForms } from '#shared/domain/market/collection-text.ts';
import { contractForms, contractFormsOfAnswers } from '#shared/domain/market/contract.ts';
import { durationForms } from '#shared/domain/market/duration.ts';
import { walletForms } from '#shared/domain/market/wallet.ts';
import { metricForms } from '#shared/domain/metrics/metric.ts';
import { nftQueryForms } from '#shared/domain/nft-data/queries.ts';
import { omit } from '#shared/domain/omit.ts';
import { clauseForms } from '#shared/domain/rules/clause.ts';
import { ruleForms } from '#shared/domain/rules/rule-forms.ts';
import { escalationForms } from '#shared/domain/watchlists/notified.ts';
import { watchlistForms } from '#shared/domain/watchlists/watchlist-body.ts';
import { lineForms } from '#shared/domain/words.ts';
import type { Component, JsonSchema, Side } from '#shared/http/described.ts';

/** The forms of values that are checked by code, which the generator cannot read. */
const FORMS = new Map([
  ...lineForms(),
  ...collectionTextForms(),
  ...chainForms(),
  ...contractForms(),
  ...walletForms(),
  ...durationForms(),
  ...metricForms(),
  ...clauseForms(),
  ...ruleForms(),
  ...escalationForms(),
  ...watchlistForms(),
  ...confirmationLinkForms(),
  ...nftQueryForms(),
  ...severalForms(),
  ...Object.values(KINDS).flatMap(({ forms }) => forms),
]);

/** Wider forms of values in answers. */
const FORMS_OF_ANSWERS = new Map(contractFormsOfAnswers());

/** The schema of one value, without references. */
export function schemaOf(schema: z.core.$ZodType, side: Side): JsonSchema {
  const kept = omit(z.toJSONSchema(schema, conversion(side)), '$schema');
  return kept;
}

/** Schemas by their names; where one is part of another, it is referred to. */
export function namedSchemas(
  components: readonly Component[],
  side: Side,
): Readonly<Record<string, JsonSchema>> {
  const metadata = z.registry<{ readonly id: string; readonly description: string }>();
  for (const { name: id, schema, description } of components) {
    metadata.add(schema, { id, description });
  }
  const { schemas } = z.toJSONSchema(metadata, {
    ...conversion(side),
    metadata,
    uri: componentUri,
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _dialect, $id: _id, ...kept }]) => [name, kept]),
  );
}

export function componentUri(name: string): string {
  return `#/components/schemas/${name}`;
}

function conversion(side: Side) {
  const override = (converted: Converted) => adapt(converted, side);
  return { io: side, unrepresentable: 'any', override } as const;
}

type Converted = { readonly zodSchema: z.core.$ZodTypes; readonly jsonSchema: JsonSchema };

/** Adds what the generator cannot know of a schema, and removes what carries no information. */
function adapt({ zodSchema, jsonSchema }: Converted, side: Side): void {
  const { def } = zodSchema._zod;
  if (side === 'output' && def.type === 'pipe' && def.out._zod.def.type === 'transform') {
    // The output of such a schema has the form of its input, in one spelling.
    Object.assign(jsonSchema, schemaOf(def.in, 'output'));
  }
  if (def.type === 'pipe' && isNumber(def.out)) {
    // A number in a query is sent as text.
    delete jsonSchema.pattern;
    Object.assign(jsonSchema, schemaOf(def.out, 'output'), { type: 'integer' });
  }
  if (jsonSchema.enum?.join() === 'true,false') {
    delete jsonSchema.enum;
    jsonSchema.type = 'boolean';
  }
  // The format says the same, and can be read.
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (isSafeInteger(jsonSchema.minimum)) delete jsonSchema.minimum;
  if (isSafeInteger(jsonSchema.maximum)) delete jsonSchema.maximum;
  if (def.type === 'default') jsonSchema.default = def.defaultValue;
  if (side === 'output') {
    delete jsonSchema.default;
    // Clients must accept new members of answers.
    if (isOpen(jsonSchema.additionalProperties)) delete jsonSchema.additionalProperties;
  }
  if (zodSchema instanceof z.ZodDiscriminatedUnion) {
    jsonSchema.discriminator = discriminatorOf(zodSchema, jsonSchema.oneOf);
  }
  Object.assign(jsonSchema, FORMS.get(zodSchema));
  if (side === 'output') Object.assign(jsonSchema, FORMS_OF_ANSWERS.get(zodSchema));
}

/** Which schema each value of the discriminator selects: generators of clients need it. */
function discriminatorOf(
  { def: { discriminator }, options }: z.ZodDiscriminatedUnion,
  references: readonly JsonSchema[] = [],
) {
  const mapping = options.map(({ _zod: { propValues } }, index) => [
    [...(propValues?.[discriminator] ?? [])].join(),
    references[index]?.$ref,
  ]);
  return { propertyName: discriminator, mapping: Object.fromEntries(mapping) };
}

function isNumber(schema: z.core.$ZodType): boolean {
  return ['number', 'int'].includes(schema._zod.def.type);
}

/** The bound of all safe integers, which `z.int()` has of itself. */
function isSafeInteger(bound: number | undefined): boolean {
  return Math.abs(bound ?? 0) === Number.MAX_SAFE_INTEGER;
}

function isOpen(additional: unknown): boolean {
  return additional === false || isDeepStrictEqual(additional, {});
}
