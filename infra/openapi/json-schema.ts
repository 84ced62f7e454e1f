import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { AllAlertsQuery } from '#functions/manage-watchlists/requests.ts';
import { ChannelBody } from '#shared/channels/channel-body.ts';
import { QUEUE_ARN } from '#shared/channels/sqs/body.ts';
import { Alert } from '#shared/domain/alerting/alert.ts';
import { ConfirmationLink } from '#shared/domain/channels/confirmation-link.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { CHAINS, ChainParameter } from '#shared/domain/market/chains.ts';
import { ContractAddress, ContractKey } from '#shared/domain/market/contract.ts';
import { UNITS } from '#shared/domain/market/currency.ts';
import { Duration } from '#shared/domain/market/duration.ts';
import { METRIC_NAMES, Metric } from '#shared/domain/metrics/metric.ts';
import { FloorParameters, MOST_TRAITS, TraitsBody } from '#shared/domain/nft-data/queries.ts';
import { AlertRule } from '#shared/domain/rules/alert-rule.ts';
import { clauseMembers, Threshold } from '#shared/domain/rules/clause.ts';
import { WatchlistBody } from '#shared/domain/watchlists/watchlist-body.ts';
import { Line } from '#shared/domain/words.ts';
import { CONDITION_FORMS, RULE_FORMS } from './rule-forms.ts';

/** A schema of the document: JSON Schema 2020-12, as OpenAPI 3.1 has it. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Schemas of requests describe what is written, schemas of answers what is read. */
export type Side = 'input' | 'output';

const CONTRACT = `(${CHAINS.map(({ slug }) => slug).join('|')}):0x[0-9a-fA-F]{40}`;

/** Without its sign: as many digits as a threshold has at most. */
const NUMBER = '\\d{1,20}(\\.\\d{1,17})?';

/**
 * The form of texts that are checked by code, which no generator can look into. Each says no more
 * than the code takes.
 */
const FORMS: ReadonlyMap<z.core.$ZodType, JsonSchema> = new Map<z.core.$ZodType, JsonSchema>([
  [Line, { minLength: 1, maxLength: LIMITS.text.characters, pattern: '\\S' }],
  [Metric, { enum: [...METRIC_NAMES] }],
  [AlertRule, { oneOf: [...RULE_FORMS] }],
  [AlertRule.shape.all.unwrap().element, { oneOf: [...CONDITION_FORMS] }],
  [Threshold, { pattern: `^-?${NUMBER}$`, examples: ['9.5'] }],
  [clauseMembers.ignoreBelow.unwrap(), { pattern: `^${NUMBER}$`, examples: ['0.01'] }],
  [clauseMembers.unit.unwrap(), { enum: [...UNITS] }],
  [WatchlistBody.shape.contracts.unwrap(), { uniqueItems: true }],
  ...listsInQueries(),
  [
    AlertRule.shape.steps.unwrap(),
    { pattern: '^(?!0+(\\.0+)?$)\\d{1,2}(\\.\\d{1,17})?$', examples: ['10'] },
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
  ...channelForms(),
]);

/** Parameters that name several things, with commas between. */
function listsInQueries(): readonly [z.core.$ZodType, JsonSchema][] {
  const { contract, rule, kind, severity, watchlist } = AllAlertsQuery.shape;
  const several = (one: string) => ({ pattern: `^${one}(,${one}){0,19}$` });
  const word = (words: readonly string[]) => several(`(${words.join('|')})`);
  const identifier = several('[a-z0-9][a-z0-9-]{0,39}');
  return [
    [contract.unwrap(), several(CONTRACT)],
    [rule.unwrap(), identifier],
    [watchlist.unwrap(), identifier],
    [kind.unwrap(), word(Alert.shape.kind.options)],
    [severity.unwrap(), word(Alert.shape.severity.options)],
  ];
}

function channelForms(): readonly [z.core.$ZodType, JsonSchema][] {
  const [, sqs, slack, discord, webhook] = ChannelBody.options;
  const secret = (pattern: string) => ({ pattern: `^(kept:[0-9a-f]{8}|${pattern})$` });
  return [
    [sqs.shape.queue, { pattern: QUEUE_ARN.source }],
    [
      slack.shape.url,
      secret('https://hooks\\.slack\\.com/services/T\\w{1,50}/B\\w{1,50}/\\w{1,100}'),
    ],
    [discord.shape.url, secret('https://discord\\.com/api/webhooks/\\d{1,20}/[\\w-]{1,200}')],
    [webhook.shape.url, { format: 'uri', maxLength: 2000 }],
    // The base64 of 24 to 64 bytes, as its one writing has it.
    [
      webhook.shape.secrets.element,
      secret(
        'whsec_(([A-Za-z0-9+/]{4}){8,20}([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?|([A-Za-z0-9+/]{4}){21}([A-Za-z0-9+/][AQgw]==)?)',
      ),
    ],
    [webhook.shape.secrets, { uniqueItems: true }],
  ];
}

function wordsOf(chains: typeof CHAINS): string[] {
  return chains.flatMap(({ name, hex }) => [name, hex]);
}

/** The schema of one value, with all that it is made of inside. */
export function schemaOf(schema: z.ZodType, side: Side): JsonSchema {
  const { $schema: _dialect, ...kept } = z.toJSONSchema(schema, conversion(side));
  return tidy(kept, side);
}

/** Schemas by their names; where one is part of another, it is referred to. */
export function namedSchemas(
  schemas: Readonly<Record<string, z.ZodType>>,
  side: Side,
): Readonly<Record<string, JsonSchema>> {
  const registry = z.registry<{ readonly id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const converted = z.toJSONSchema(registry, { ...conversion(side), uri: componentUri });
  return Object.fromEntries(
    Object.entries(converted.schemas).map(([name, { $schema: _dialect, $id: _id, ...kept }]) => [
      name,
      tidy(kept, side),
    ]),
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

/** Says what the generator cannot know of a schema. */
function adapt({ zodSchema, jsonSchema }: Converted, side: Side): void {
  const { def } = zodSchema._zod;
  if (side === 'output' && def.type === 'pipe' && def.out._zod.def.type === 'transform') {
    // What such a schema gives has the form of what it takes: it only writes it in one way.
    Object.assign(jsonSchema, schemaIn(def.in));
  }
  if (def.type === 'pipe' && isNumber(def.out)) {
    // A number in a query is a text on its way.
    delete jsonSchema.pattern;
    Object.assign(jsonSchema, schemaIn(def.out), { type: 'integer' });
  }
  if (jsonSchema.enum?.join() === 'true,false') {
    delete jsonSchema.enum;
    jsonSchema.type = 'boolean';
  }
  if (def.type === 'default') jsonSchema.default = def.defaultValue;
  // The format says the same, and can be read.
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  Object.assign(jsonSchema, FORMS.get(zodSchema));
}

function schemaIn(schema: z.core.$ZodType): JsonSchema {
  const { $schema: _dialect, ...kept } = z.toJSONSchema(schema, conversion('output'));
  return kept;
}

function isNumber(schema: z.core.$ZodType): boolean {
  return ['number', 'int'].includes(schema._zod.def.type);
}

/**
 * Clients must accept new members of answers, so schemas of answers are open. Bounds of the
 * safe integers carry no information.
 */
function tidy(schema: JsonSchema, side: Side): JsonSchema {
  const kept = Object.entries(schema).filter(
    ([keyword, value]) =>
      !(side === 'output' && keyword === 'additionalProperties' && isOpen(value)) &&
      !(side === 'output' && keyword === 'default') &&
      !(
        ['minimum', 'maximum'].includes(keyword) &&
        Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER
      ),
  );
  return Object.fromEntries(
    kept.map(([keyword, value]) => [keyword, keyword === 'default' ? value : within(value, side)]),
  );
}

function isOpen(additional: unknown): boolean {
  return additional === false || isDeepStrictEqual(additional, {});
}

function within(value: unknown, side: Side): unknown {
  if (Array.isArray(value)) return value.map((item) => within(item, side));
  return typeof value === 'object' && value !== null ? tidy({ ...value }, side) : value;
}
