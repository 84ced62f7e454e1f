import type * as z from 'zod';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { Duration } from '#shared/domain/market/duration.ts';
import { FAMILIES, type Family } from '#shared/domain/metrics/families.ts';
import { Metric } from '#shared/domain/metrics/metric.ts';
import {
  ForecastAnswer,
  Problem,
  ReadingAnswer,
  UnreadableAnswer,
  ValidationIssue,
} from '#shared/http/answer-shapes.ts';
import { channelComponents } from './channel-components.ts';
import { type Component, MOMENT, output } from './component.ts';
import { contractComponents } from './contract-components.ts';
import { componentUri, type JsonSchema, namedSchemas } from './json-schema.ts';
import { nftDataComponents } from './nft-data-components.ts';
import { watchlistComponents } from './watchlist-components.ts';

/** What all metrics are, and each of those that a rule may name. */
const METRIC_WORDS = [
  'A number derived from what the data provider reports.',
  ...Object.values<Family>(FAMILIES)
    .filter(({ isInternal }) => isInternal !== true)
    .map(({ described }) => described),
].join(' ');

const COMPONENTS: readonly Component[] = [
  output(
    'Contract',
    ContractKey,
    'An NFT contract: its chain by name, spaces as hyphens, and its address, reported in lower case.',
  ),
  output('Metric', Metric, METRIC_WORDS),
  output('Duration', Duration, 'A span of time from `1m` to `90d`: whole minutes, hours or days.'),
  ...watchlistComponents,
  ...channelComponents,
  ...contractComponents,
  ...nftDataComponents,
  output('Unreadable', UnreadableAnswer, 'Something that this version cannot read.', {
    kind: 'What it is.',
    id: 'Its name, as paths have it.',
    reason: 'What is not understood of it.',
  }),
  output(
    'Forecast',
    ForecastAnswer,
    'What the next answer of the data provider does to a rule on a contract if the values stay the same.',
    {
      code: '`fires`: the value is beyond, and the rule fires with that answer. `rests`: the value is not beyond. `waits_for_move`: a percentage is beyond only because its window has moved; it fires if the price moves. `waits_for_crossing`: it is beyond, and `arm` is `cross`. `must_hold`, `must_be_confirmed`: it is beyond, but not long or often enough. `firing`: its episode is open; `recovering`: it ends at `at`; `recovers`: it ends with that answer. `first_answer`: no answer yet. `not_evaluated`: there is no value to compare. `paused`, `expired`, `ended`: it is not evaluated any more.',
      text: 'The same in a sentence for people.',
      at: `The next timer if the value stays the same (the end of \`for\` or \`keepFor\`, a reminder, the age of data): ${MOMENT}; null without one.`,
      conditions: 'Each condition with what it is held against.',
    },
  ),
  output('Reading', ReadingAnswer, 'A condition, and what its metric reports now.', {
    metric: 'The number that is watched.',
    condition: 'The condition in words.',
    unit: 'The unit of the value: a currency, `usd`, `%` or `minutes`.',
    value: 'What the metric is now, a decimal in `unit`; null where it is not known.',
    beyond: 'Whether the condition holds; null where the value is not known.',
  }),
  output('Problem', Problem, 'What went wrong (RFC 9457). After a 4xx nothing was changed.', {
    type: 'What kind of problem it is: `urn:floorwatch:problem:<code>`, which is stable.',
    title: 'The kind of problem in words.',
    status: 'The status of the answer.',
    detail: 'What went wrong this time, for people.',
    errors: 'Each wrong member or parameter that could be reported, fifty at most.',
    message:
      'The `detail` once more, for clients of the interface v2.2: reported there, and by the gateway.',
  }),
  output('ValidationIssue', ValidationIssue, 'What is wrong with one member of a request.', {
    pointer: 'Where it is: a JSON pointer into the body, or `?` and the name of a parameter.',
    detail: 'What was expected there.',
  }),
];

/** The schemas of the document by their names, sorted. */
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

/** The reference to a schema that has a name. */
export function referenceTo(schema: z.ZodType): { readonly $ref: string } {
  const component = COMPONENTS.find((known) => known.schema === schema);
  if (component === undefined) throw new Error('a schema of an operation has no name');
  return { $ref: componentUri(component.name) };
}
