import * as z from 'zod';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { SUBJECTS } from '#shared/domain/market/derived-key.ts';
import { Provider } from '#shared/domain/market/provider.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import {
  CADENCE,
  DecimalText,
  LEFT_OUT,
  MOMENT,
  MomentText,
  ofCollection,
  page,
  reportedPrice,
  UnreadableEntries,
} from '#shared/http/answer-shapes.ts';
import { type Answered, object } from '#shared/http/described.ts';

export const contract = [ContractKey, 'The NFT contract.'] as const;

const SeriesHealth = object('SeriesHealth', 'The health of the data of a price series.', {
  state: [
    z.enum(['waiting', 'fresh', 'stale', 'disputed']),
    '`fresh`: the latest response is usable. `waiting`: no value has been received yet. `stale`: the latest responses are not usable. `disputed`: the provider contradicts itself, or another provider contradicts it.',
  ],
  code: [z.string(), 'The reason as a code.'],
  reason: [z.string().nullable(), 'The reason in words; null if the data are fresh.'],
  since: [
    MomentText.nullable(),
    `The time at which the price series entered this state: ${MOMENT}.`,
  ],
  noDataSince: [
    MomentText.nullable(),
    `The time at which responses stopped being usable: ${MOMENT}; null if the latest response is usable.`,
  ],
  retryAt: [
    MomentText.nullable(),
    `The time at which this query is retried before the next regular poll: ${MOMENT}; null if no retry is scheduled.`,
  ],
  confirmedBy: [
    Provider.nullable(),
    'The provider that confirmed the price with data from another source; null if no provider confirmed it.',
  ],
  confirmedAt: [
    MomentText.nullable(),
    `The time at which the confirming provider was queried: ${MOMENT}; null if no provider confirmed the price.`,
  ],
});

export const ContractSeries = object(
  'ContractSeries',
  'A price series, with the last reported price.',
  {
    ...reportedPrice,
    ageMinutes: [z.int().min(0).nullable(), 'The age of the price, in whole minutes.'],
    health: [SeriesHealth, 'The health of the data.'],
  },
);

export type ContractSeries = Answered<typeof ContractSeries>;

export const ContractRead = object('WatchedContract', 'A watched contract.', {
  contract,
  name: [
    Line.nullable(),
    'The name of the collection: from one of your lists, or, if the lists have none, from the data provider.',
  ],
  watchlists: [z.array(Identifier), 'The ids of your lists that contain the contract.'],
  collection: [
    object(
      'Collection',
      'The collection as described by the data provider.',
      ofCollection,
    ).nullable(),
    'The description that the data provider reported when the contract was added to a list; null if the provider reported no description.',
  ],
  cadenceMinutes: CADENCE,
  pollAt: [
    MomentText.nullable(),
    `The minute of the next poll, if the rate limit and the budget allow it: ${MOMENT}; null if no rule needs a poll.`,
  ],
  unsupportedBy: [
    z.array(Provider),
    'The providers, other than the first, that do not know the contract. They neither confirm its floors nor serve as a fallback. Each is queried again after six hours.',
  ],
  series: [
    z.array(ContractSeries),
    'The price series that rules need, each with the last reported price.',
  ],
});

export type ContractRead = Answered<typeof ContractRead>;

export const ContractPage = object('ContractPage', 'A page of watched contracts.', {
  contracts: [z.array(ContractRead), 'The contracts, sorted by chain and address.'],
  ...page,
  unreadable: [UnreadableEntries, `${LEFT_OUT} Contracts of such a watchlist may be missing.`],
});

export type ContractPage = Answered<typeof ContractPage>;

export const NamedMetric = object('NamedMetric', 'A metric that rules can use, with its span.', {
  metric: [z.string(), 'The value for `metric` in a rule.'],
  name: [z.string(), 'The name of the metric in messages.'],
  span: [
    z.string().nullable(),
    'The span in the name of the metric, such as a window or a number of days; null if the metric has no span.',
  ],
  series: [z.array(reportedPrice.series[0]), 'The price series from which the metric is computed.'],
});

export type NamedMetric = Answered<typeof NamedMetric>;

export const MetricFamily = object(
  'MetricFamily',
  'Metrics with the same name and different spans.',
  {
    id: [z.string(), 'The name without a span.'],
    described: [z.string(), 'A description, in Markdown.'],
    over: [
      z.enum(['window', 'days', 'period', 'nothing']),
      'The kind of span: a `window` over floors, the `days` of a lowest sale, the `period` of a statistic; `nothing` if the metrics have no span.',
    ],
    metrics: [z.array(NamedMetric), 'The metrics, one for each span.'],
    unit: [
      z.enum(['currency', 'usd', 'percent', 'minutes', 'sales', 'owners', 'ratio']),
      'The unit of values and thresholds. By default, `currency` is the currency of the chain.',
    ],
    units: [z.array(z.string()), 'The currencies that a rule may name in `unit`.'],
    thresholds: [
      object('ThresholdRange', 'The range of thresholds, both bounds excluded.', {
        above: [DecimalText.nullable(), 'The lower bound; null if there is none.'],
        below: [DecimalText.nullable(), 'The upper bound; null if there is none.'],
      }),
      'The range of thresholds.',
    ],
    when: [
      z.array(z.enum(['below', 'above', 'outside', 'inside', 'crosses'])),
      'The conditions that the metric supports.',
    ],
    joins: [z.boolean(), 'Whether a condition in `all` may use the metric.'],
    subject: [
      z.enum(SUBJECTS),
      'The kind of target: `contract` for contracts, `ratio` for contracts that are compared with others (`of`), `list` for the list itself.',
    ],
    takesIgnoreBelow: [z.boolean(), 'Whether a rule may have `ignoreBelow`.'],
    needsCost: [
      z.boolean(),
      'Whether the metric needs the `cost` of a contract. If so, a rule applies only to contracts with a cost, and the unit of the rule is the `unit` of the cost.',
    ],
    reported: [
      z.boolean(),
      'Whether the data provider reports the prices of the metric. If not, new rules on the metric are rejected.',
    ],
  },
);

export type MetricFamily = Answered<typeof MetricFamily>;

export const MetricCatalogue = object('MetricCatalogue', 'The metrics that rules can use.', {
  metrics: [z.array(MetricFamily), 'The metrics, grouped by name.'],
});

export type MetricCatalogue = Answered<typeof MetricCatalogue>;

export const StackHealth = object('StackHealth', 'The health of the stack.', {
  status: [
    z.literal('ok'),
    'Always `ok`. If the stack is unhealthy, the response is a problem document.',
  ],
  dispatchedAt: [MomentText, `The latest minute for which all polls were sent: ${MOMENT}.`],
  notes: [
    z.array(z.string()),
    'Limitations that are not failures. For example, a fallback provider is in use, or some contracts are polled less than half as often as configured because their tenants need more than their share.',
  ],
});

export type StackHealth = Answered<typeof StackHealth>;
