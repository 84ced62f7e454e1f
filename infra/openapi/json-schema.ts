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
import { holdingForms } from '#shared/domain/watchlists/holding.ts';
import { escalationForms } from '#shared/domain/watchlists/notified.ts';
import { watchlistForms } from '#shared/domain/watchlists/watchlist-body.ts';
import { lineForms } from '#shared/domain/words.ts';
import type { Component, JsonSchema, Side } from '#shared/http/described.ts';

/** The JSON schemas of values that code validates, which the generator cannot convert. */
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
  ...holdingForms(),
  ...watchlistForms(),
  ...confirmationLinkForms(),
  ...nftQueryForms(),
  ...severalForms(),
  ...Object.values(KINDS).flatMap(({ forms }) => forms),
]);

/** The JSON schemas of values whose schemas are less strict in answers than in requests. */
const FORMS_OF_ANSWERS = new Map(contractFormsOfAnswers());

/** The JSON schema of one value, without references. */
export function schemaOf(schema: z.core.$ZodType, side: Side): JsonSchema {
  const kept = omit(z.toJSONSchema(schema, conversion(side)), '$schema');
  return kept;
}

/** Named schemas; a schema that is part of another is referenced. */
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

/** Adds properties that the generator cannot derive, and removes properties without information. */
function adapt({ zodSchema, jsonSchema }: Converted, side: Side): void {
  const { def } = zodSchema._zod;
  if (side === 'output' && def.type === 'pipe' && def.out._zod.def.type === 'transform') {
    // The transformation only normalizes the spelling, so the schema of the input also describes
    // the output.
    Object.assign(jsonSchema, schemaOf(def.in, 'output'));
  }
  if (def.type === 'pipe' && isNumber(def.out)) {
    // Numbers in a query are sent as text.
    delete jsonSchema.pattern;
    Object.assign(jsonSchema, schemaOf(def.out, 'output'), { type: 'integer' });
  }
  if (jsonSchema.enum?.join() === 'true,false') {
    delete jsonSchema.enum;
    jsonSchema.type = 'boolean';
  }
  // The pattern is removed, because the format expresses the same constraint and is easier to read.
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (isSafeInteger(jsonSchema.minimum)) delete jsonSchema.minimum;
  if (isSafeInteger(jsonSchema.maximum)) delete jsonSchema.maximum;
  if (def.type === 'default') jsonSchema.default = def.defaultValue;
  if (side === 'output') {
    delete jsonSchema.default;
    // Answers allow unknown members, because clients must accept new ones.
    if (isOpen(jsonSchema.additionalProperties)) delete jsonSchema.additionalProperties;
  }
  if (zodSchema instanceof z.ZodDiscriminatedUnion) {
    jsonSchema.discriminator = discriminatorOf(zodSchema, jsonSchema.oneOf);
  }
  Object.assign(jsonSchema, FORMS.get(zodSchema));
  if (side === 'output') Object.assign(jsonSchema, FORMS_OF_ANSWERS.get(zodSchema));
}

/** Maps each value of the discriminator to its schema, which client generators need. */
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

/** Whether a bound is only the bound of safe integers, which `z.int()` sets itself. */
function isSafeInteger(bound: number | undefined): boolean {
  return Math.abs(bound ?? 0) === Number.MAX_SAFE_INTEGER;
}

function isOpen(additional: unknown): boolean {
  return additional === false || isDeepStrictEqual(additional, {});
}
