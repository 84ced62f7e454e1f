import * as z from 'zod';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { Duration } from '#shared/domain/market/duration.ts';
import { FAMILIES } from '#shared/domain/metrics/families.ts';
import { familiesWith, Metric } from '#shared/domain/metrics/metric.ts';
import { COMPONENTS, type Component, type JsonSchema, output } from '#shared/http/described.ts';
import { componentUri, namedSchemas } from './json-schema.ts';

/** The description of the schema `Metric`: a sentence about each family of metrics. */
const METRIC_WORDS = [
  'A number derived from the data that the provider reports.',
  ...familiesWith(() => true).map((name) => FAMILIES[name].described),
].join(' ');

output(
  'Contract',
  ContractKey,
  'An NFT contract: the name of its chain (with hyphens instead of spaces), a colon, and its address. To select only the tokens with certain traits, append the traits, for example `?Fur=Solid+Gold`. In responses the address is in lower case.',
);
output('Metric', Metric, METRIC_WORDS);
output('Duration', Duration, 'A duration from `1m` to `90d`: whole minutes, hours or days.');

/** The schemas of the document by name, sorted. */
export function components(): Readonly<Record<string, JsonSchema>> {
  const converted = {
    input: namedSchemas(COMPONENTS, 'input'),
    output: namedSchemas(COMPONENTS, 'output'),
  };
  const schemas = COMPONENTS.map(({ name, side, members }) => {
    const { [name]: schema = {} } = converted[side];
    return [name, inWords(schema, members)] as const;
  });
  return Object.fromEntries(schemas.toSorted(([one], [another]) => (one < another ? -1 : 1)));
}

function inWords({ properties, ...schema }: JsonSchema, members: Component['members']): JsonSchema {
  if (properties === undefined) return schema;
  const described = Object.entries(properties).map(([name, property]) => [
    name,
    typeof property === 'object' && members[name]
      ? { description: members[name], ...property }
      : property,
  ]);
  return { ...schema, properties: Object.fromEntries(described) };
}

/** The reference to a named schema. */
export function referenceTo(schema: z.ZodType): { readonly $ref: string } {
  const made = schema instanceof z.ZodLazy ? schema._zod.innerType : schema;
  const component = COMPONENTS.find((known) => known.schema === schema || known.schema === made);
  if (component === undefined) {
    const members = schema instanceof z.ZodObject ? Object.keys(schema.shape).join(', ') : '';
    throw new Error(`a schema of an operation has no component: {${members}}`);
  }
  return { $ref: componentUri(component.name) };
}
