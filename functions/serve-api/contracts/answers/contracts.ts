import * as z from 'zod';
import { ContractKey } from '#shared/domain/market/contract.ts';
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

export const PRICE = 'The price, a decimal in `currency`.';

const PartHealth = object('PartHealth', 'The health of the data of a query.', {
  state: [
    z.enum(['waiting', 'fresh', 'stale', 'disputed']),
    '`fresh`: all is well. `waiting`: nothing was reported yet. `stale`: no newer value was reported. `disputed`: the provider contradicts itself, or another one contradicts it.',
  ],
  code: [z.string(), 'The reason as a code.'],
  reason: [z.string().nullable(), 'The reason for people; null if all is well.'],
  since: [MomentText.nullable(), `Since when: ${MOMENT}.`],
  silentSince: [
    MomentText.nullable(),
    `Since when no answer was usable: ${MOMENT}; null while answers are usable.`,
  ],
  retryAt: [
    MomentText.nullable(),
    `When this query alone is sent again, after an answer without a value: ${MOMENT}.`,
  ],
  confirmedBy: [
    Provider.nullable(),
    'The provider of another origin that confirmed the price; null if none did.',
  ],
  confirmedAt: [MomentText.nullable(), `When it was asked: ${MOMENT}; null if none was.`],
});

export const ContractPart = object(
  'ContractPart',
  'A query to the data provider, with the last reported price.',
  {
    ...reportedPrice,
    ageMinutes: [z.int().min(0).nullable(), 'How old the price is, in whole minutes.'],
    health: [PartHealth, 'The health of the data.'],
  },
);

export type ContractPart = Answered<typeof ContractPart>;

export const ContractRead = object('WatchedContract', 'A watched contract.', {
  contract,
  name: [
    Line.nullable(),
    'The name that one of your lists gives the collection, or else the data provider.',
  ],
  watchlists: [z.array(Identifier), 'The ids of your lists that contain it.'],
  collection: [
    object('Collection', 'A collection as the data provider presents it.', ofCollection).nullable(),
    'What the data provider said when the contract came onto a list; null if it was not asked.',
  ],
  cadenceMinutes: CADENCE,
  pollAt: [
    MomentText.nullable(),
    `The minute of the next poll, if rate and budget allow it: ${MOMENT}; null if no rule needs one.`,
  ],
  lackedBy: [
    z.array(Provider),
    'The other providers that do not know it, by their own answer. They neither confirm its floors nor serve as fallback, and are asked again after six hours.',
  ],
  parts: [z.array(ContractPart), 'The queries that rules need, each with the last reported price.'],
});

export type ContractRead = Answered<typeof ContractRead>;

export const ContractPage = object('ContractPage', 'A page of watched contracts.', {
  contracts: [z.array(ContractRead), 'The contracts, by chain and address.'],
  ...page,
  unreadable: [UnreadableEntries, `${LEFT_OUT} Contracts of such a watchlist may be missing.`],
});

export type ContractPage = Answered<typeof ContractPage>;

export const RecordedPoint = object('RecordedPoint', 'A price that was recorded.', {
  time: [MomentText, `The time of the price: ${MOMENT}.`],
  price: [DecimalText, PRICE],
  currency: [z.string(), reportedPrice.currency[1]],
  usd: [DecimalText.nullable(), reportedPrice.usd[1]],
  source: [z.string().nullable(), reportedPrice.source[1]],
  tradedAt: [MomentText.nullable(), `When a lowest sale was made: ${MOMENT}.`],
  outlier: [
    z.boolean(),
    'Whether it is a floor far from the one before that the next did not confirm: rules ignore it (`outliers`).',
  ],
});

export type RecordedPoint = Answered<typeof RecordedPoint>;

export const PriceSpan = object(
  'PriceSpan',
  'A time in which prices are not known, or not believed.',
  {
    from: [MomentText, `Its beginning: ${MOMENT}.`],
    to: [MomentText.nullable(), `Its end: ${MOMENT}; null while it lasts.`],
    reason: [z.string().nullable(), 'The reason for people, if it is known.'],
  },
);

export type PriceSpan = Answered<typeof PriceSpan>;

export const Prices = object('Prices', 'The recorded prices of a contract.', {
  contract,
  part: reportedPrice.part,
  points: [
    z.array(RecordedPoint),
    'The prices in the order of time. Each holds until the next; the first may be from before the span, at whose beginning it held.',
  ],
  thinned: [
    z.boolean(),
    'Whether some are left out. Of each stretch of time the first and the last price stay, the lowest and the highest.',
  ],
  gaps: [z.array(PriceSpan), 'The times without prices, as far as they are recorded.'],
  disputes: [
    z.array(PriceSpan),
    'The times in which the data providers contradict each other, as far as they are recorded.',
  ],
});

export type Prices = Answered<typeof Prices>;

export const NamedMetric = object('NamedMetric', 'A metric as a rule names it.', {
  metric: [z.string(), 'The name in `metric` of a rule.'],
  name: [z.string(), 'Its name in a sentence.'],
  span: [z.string().nullable(), 'The window or the days behind its name; null without a span.'],
  parts: [z.array(reportedPrice.part[0]), 'The queries to the data provider that it is made of.'],
});

export type NamedMetric = Answered<typeof NamedMetric>;

export const MetricFamily = object('MetricFamily', 'Metrics of one name, each with another span.', {
  id: [z.string(), 'The name without a span.'],
  described: [z.string(), 'What it is, in Markdown.'],
  over: [
    z.enum(['window', 'days', 'period', 'nothing']),
    'The kind of span: a `window` over floors, the `days` of a lowest sale, the `period` of a statistic, or `nothing`.',
  ],
  metrics: [z.array(NamedMetric), 'The metrics, by their spans.'],
  unit: [
    z.enum(['currency', 'usd', 'percent', 'minutes', 'sales', 'owners']),
    'The unit of its values and thresholds. A `currency` is that of the chain if the rule names none.',
  ],
  units: [z.array(z.string()), 'The currencies that a rule may name in `unit`.'],
  thresholds: [
    object('ThresholdRange', 'The numbers between which thresholds lie, both excluded.', {
      above: [DecimalText.nullable(), 'The lower bound; null without one.'],
      below: [DecimalText.nullable(), 'The upper bound; null without one.'],
    }),
    'The numbers between which thresholds lie.',
  ],
  when: [
    z.array(z.enum(['below', 'above', 'outside', 'inside', 'crosses'])),
    'The conditions that it takes.',
  ],
  joins: [z.boolean(), 'Whether it may be one of several conditions in `all`.'],
  takesIgnoreBelow: [z.boolean(), 'Whether a rule may have `ignoreBelow`.'],
  reported: [
    z.boolean(),
    'Whether the data provider reports its prices. A new rule on a metric that it does not report is refused.',
  ],
});

export type MetricFamily = Answered<typeof MetricFamily>;

export const MetricCatalogue = object('MetricCatalogue', 'The metrics of rules.', {
  metrics: [z.array(MetricFamily), 'The metrics, by name.'],
});

export type MetricCatalogue = Answered<typeof MetricCatalogue>;

export const StackHealth = object('StackHealth', 'The health of the stack.', {
  status: [z.literal('ok'), 'The stack works.'],
  dispatchedAt: [MomentText, `The last minute whose polls were all sent: ${MOMENT}.`],
  notes: [
    z.array(z.string()),
    'Limitations that are not failures: a fallback provider is in use; contracts are polled less than half as often as promised, because their tenants need more than their share.',
  ],
});

export type StackHealth = Answered<typeof StackHealth>;
