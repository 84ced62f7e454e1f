import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { AllAlertsQuery, AllWatchesQuery } from '#functions/serve-api/watchlists/requests.ts';
import { KINDS } from '#shared/channels/kinds.ts';
import { Alert } from '#shared/domain/alerting/alert.ts';
import { ConfirmationLink } from '#shared/domain/channels/confirmation-link.ts';
import { STANDINGS } from '#shared/domain/evaluation/watch-standing.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { CHAINS, ChainParameter } from '#shared/domain/market/chains.ts';
import { CollectionText } from '#shared/domain/market/collection-text.ts';
import { ContractAddress, ContractKey, TraitFilter } from '#shared/domain/market/contract.ts';
import { UNITS } from '#shared/domain/market/currency.ts';
import { Duration } from '#shared/domain/market/duration.ts';
import { WalletAddress } from '#shared/domain/market/wallet.ts';
import { METRIC_NAMES, Metric } from '#shared/domain/metrics/metric.ts';
import { FloorParameters, MOST_TRAITS, TraitsBody } from '#shared/domain/nft-data/queries.ts';
import { AlertRule } from '#shared/domain/rules/alert-rule.ts';
import { clauseMembers, Threshold } from '#shared/domain/rules/clause.ts';
import { Escalation } from '#shared/domain/watchlists/notified.ts';
import { ContractOrName, WatchlistRequest } from '#shared/domain/watchlists/watchlist-body.ts';
import { Line } from '#shared/domain/words.ts';
import type { Component, JsonSchema, Side } from '#shared/http/described.ts';
import { CONDITION_FORMS, RULE_FORMS } from './rule-forms.ts';

/** As much of a trait as is surely taken: nothing that is blank, and short enough for three. */
const TRAIT_TEXT = '([A-Za-z0-9]|%[C-F][0-9A-F])[\\w%.*+-]{0,28}';
/** Any trait as a key has it. */
const ENCODED = '[\\w%.*-][\\w%.*+-]*';
/** As much of a trait as is surely taken, as people write it. */
const PLAIN_TRAIT = "^[A-Za-z0-9][A-Za-z0-9 .'()-]{0,28}$";
const TRAIT = `${TRAIT_TEXT}=${TRAIT_TEXT}`;
const WHOLE_CONTRACT = `(${CHAINS.map(({ slug }) => slug).join('|')}):0x[0-9a-fA-F]{40}`;
const CONTRACT = `${WHOLE_CONTRACT}(\\?${TRAIT}(&${TRAIT}){0,2})?`;

/** Without its sign: as many digits as a threshold has at most. */
const NUMBER = '\\d{1,20}(\\.\\d{1,17})?';

/**
 * The form of texts that are checked by code, which the generator cannot read. Each says no more
 * than the code takes.
 */
const FORMS: ReadonlyMap<z.core.$ZodType, JsonSchema> = new Map<z.core.$ZodType, JsonSchema>([
  [Line, { minLength: 1, maxLength: LIMITS.text.characters, pattern: '\\S' }],
  [CollectionText, { minLength: 1, maxLength: LIMITS.text.characters, pattern: '\\S' }],
  [WalletAddress, { pattern: '^0x[0-9a-fA-F]{40}$' }],
  [Metric, { enum: [...METRIC_NAMES] }],
  [AlertRule, { oneOf: [...RULE_FORMS] }],
  [AlertRule.shape.all.unwrap().element, { oneOf: [...CONDITION_FORMS] }],
  [Threshold, { pattern: `^-?${NUMBER}$`, examples: ['9.5'] }],
  [clauseMembers.ignoreBelow.unwrap(), { pattern: `^${NUMBER}$`, examples: ['0.01'] }],
  [clauseMembers.unit.unwrap(), { enum: [...UNITS] }],
  [WatchlistRequest.shape.contracts.unwrap(), { uniqueItems: true }],
  ...listsInQueries(),
  [
    AlertRule.shape.steps.unwrap(),
    { pattern: '^(?!0+(\\.0+)?$)\\d{1,2}(\\.\\d{1,17})?$', examples: ['10'] },
  ],
  [
    Escalation.shape.after,
    { pattern: '^([1-9]\\d{0,2}m|([1-9]|1\\d|2[0-4])h)$', examples: ['15m', '1h'] },
  ],
  [
    Duration,
    {
      pattern:
        '^([1-9]\\d{0,3}m|([1-9]\\d{0,2}|1\\d{3}|20\\d{2}|21[0-5]\\d|2160)h|([1-9]|[1-8]\\d|90)d)$',
      examples: ['30m', '6h', '7d'],
    },
  ],
  [
    ContractKey,
    {
      pattern: `^${CONTRACT}$`,
      examples: ['eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb'],
    },
  ],
  [
    TraitFilter,
    {
      type: 'object',
      minProperties: 1,
      maxProperties: 3,
      propertyNames: { type: 'string', pattern: PLAIN_TRAIT },
      additionalProperties: { type: 'string', pattern: PLAIN_TRAIT },
      examples: [{ Fur: 'Solid Gold' }],
    },
  ],
  [
    ContractOrName,
    {
      anyOf: [
        { type: 'string', pattern: `^${CONTRACT}$` },
        { type: 'string', minLength: 1, maxLength: LIMITS.text.characters, pattern: '\\S' },
      ],
      examples: ['eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb', 'boredapeyachtclub'],
    },
  ],
  [ContractAddress, { examples: ['0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb'] }],
  [ChainParameter, { enum: wordsOf(CHAINS) }],
  [
    FloorParameters.shape.chain,
    { enum: wordsOf(CHAINS.filter(({ operations }) => operations.includes('floor'))) },
  ],
  [
    TraitsBody.shape.traits,
    {
      type: 'object',
      minProperties: 1,
      maxProperties: MOST_TRAITS,
      additionalProperties: { type: ['string', 'number', 'boolean'] },
    },
  ],
  [
    ConfirmationLink,
    {
      format: 'uri',
      pattern: '^https://sns\\.[a-z0-9-]+\\.amazonaws\\.com(\\.cn)?/.*\\?',
    },
  ],
  ...Object.values(KINDS).flatMap(({ forms }) => forms),
]);

/** What of them is said more widely in answers, which have what was taken though no form said it. */
const FORMS_OF_ANSWERS: ReadonlyMap<z.core.$ZodType, JsonSchema> = new Map<
  z.core.$ZodType,
  JsonSchema
>([
  [
    ContractKey,
    { pattern: `^${WHOLE_CONTRACT}(\\?${ENCODED}=${ENCODED}(&${ENCODED}=${ENCODED}){0,2})?$` },
  ],
  [
    TraitFilter,
    {
      type: 'object',
      propertyNames: { type: 'string' },
      additionalProperties: { type: 'string' },
    },
  ],
]);

/** Parameters that name several things, with commas between. */
function listsInQueries(): readonly [z.core.$ZodType, JsonSchema][] {
  const { contract, rule, kind, severity, watchlist } = AllAlertsQuery.shape;
  const several = (one: string) => ({ pattern: `^${one}(,${one}){0,19}$` });
  const { state, ...ofWatches } = AllWatchesQuery.shape;
  const word = (words: readonly string[]) => several(`(${words.join('|')})`);
  const identifier = several('[a-z0-9][a-z0-9-]{0,39}');
  return [
    [contract.unwrap(), several(CONTRACT)],
    [rule.unwrap(), identifier],
    [watchlist.unwrap(), identifier],
    [kind.unwrap(), word(Alert.shape.kind.options)],
    [severity.unwrap(), word(Alert.shape.severity.options)],
    [ofWatches.contract.unwrap(), several(CONTRACT)],
    [ofWatches.watchlist.unwrap(), identifier],
    [state.unwrap(), word(STANDINGS)],
  ];
}

function wordsOf(chains: typeof CHAINS): string[] {
  return chains.flatMap(({ name, hex }) => [name, hex]);
}

/** The schema of one value, without references. */
export function schemaOf(schema: z.core.$ZodType, side: Side): JsonSchema {
  const { $schema: _dialect, ...kept } = z.toJSONSchema(schema, conversion(side));
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
