import * as z from 'zod';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { Duration } from '#shared/domain/market/duration.ts';
import { FAMILIES } from '#shared/domain/metrics/families.ts';
import { familiesWith, Metric } from '#shared/domain/metrics/metric.ts';
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

/** The description of all metrics, and of each that a rule may name. */
const METRIC_WORDS = [
  'A number derived from what the data provider reports.',
  ...familiesWith(() => true).map((name) => FAMILIES[name].described),
].join(' ');

const COMPONENTS: readonly Component[] = [
  output(
    'Contract',
    ContractKey,
    'An NFT contract: the name of its chain (spaces as hyphens), a colon, and its address. Answers have the address in lower case.',
  ),
  output('Metric', Metric, METRIC_WORDS),
  output('Duration', Duration, 'A span of time from `1m` to `90d`: whole minutes, hours or days.'),
  ...watchlistComponents,
  ...channelComponents,
  ...contractComponents,
  ...nftDataComponents,
  output('Unreadable', UnreadableAnswer, 'An entry that this version of the stack cannot read.', {
    kind: 'The kind of entry.',
    id: 'Its id, as in paths.',
    reason: 'Why it cannot be read.',
  }),
  output(
    'Forecast',
    ForecastAnswer,
    'What happens to a rule on a contract at the next answer of the data provider, if the values stay the same.',
    {
      code: '`fires`: the value is beyond, and the rule fires with that answer. `rests`: the value is not beyond. `waits_for_move`: a percentage is beyond only because its window has moved; the rule fires if the price moves. `waits_for_crossing`: the value is beyond, and `arm` is `cross`. `must_hold`, `must_be_confirmed`: the value is beyond, but not yet long or often enough. `firing`: the episode is open; `recovering`: the episode ends at `at`; `recovers`: the episode ends with that answer. `first_answer`: there is no answer yet. `not_evaluated`: there is no value to compare. `paused`, `expired`, `ended`: the rule is not evaluated any more.',
      text: 'The same in a sentence for people.',
      at: `The next timer if the value stays the same (the end of \`for\` or \`keepFor\`, a reminder, the age of data): ${MOMENT}; null without one.`,
      conditions: 'The conditions, each with the current value of its metric.',
    },
  ),
  output('Reading', ReadingAnswer, 'A condition and the current value of its metric.', {
    metric: 'The metric.',
    condition: 'The condition in words.',
    unit: 'The unit of the value: a currency, `usd`, `%` or `minutes`.',
    value: 'The current value of the metric, a decimal in `unit`; null if unknown.',
    beyond: 'Whether the condition holds; null if the value is unknown.',
  }),
  output('Problem', Problem, 'A problem document (RFC 9457). After a 4xx nothing has changed.', {
    type: 'The kind of problem: `urn:floorwatch:problem:<code>`. It is stable.',
    title: 'The kind of problem in words.',
    status: 'The status of the answer.',
    detail: 'What went wrong this time, for people.',
    errors: 'The wrong members and parameters, at most fifty.',
    message: 'The same as `detail`, in answers of the interface v2.2 and of the gateway.',
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
  if (component === undefined) {
    const members = schema instanceof z.ZodObject ? Object.keys(schema.shape).join(', ') : '';
    throw new Error(`a schema of an operation has no component: {${members}}`);
  }
  return { $ref: componentUri(component.name) };
}
