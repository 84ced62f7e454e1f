import * as z from 'zod';
import { alertMembers } from '#functions/serve-api/watchlists/answers/alerts.ts';
import { KINDS } from '#shared/channels/kinds.ts';
import { RuleAlert } from '#shared/domain/alerting/alert.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { Provider } from '#shared/domain/market/provider.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import {
  CADENCE,
  DecimalText,
  ForecastRead,
  LEFT_OUT,
  MOMENT,
  MomentText,
  ofCollection,
  page,
  reportedPrice,
  UnreadableEntries,
} from '#shared/http/answer-shapes.ts';
import { type Answered, object, register } from '#shared/http/described.ts';

const KIND_NAMES = Object.keys(KINDS);

const contract = [ContractKey, 'The NFT contract.'] as const;

const PRICE = 'The price, a decimal in `currency`.';

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
    z.enum(['window', 'days', 'nothing']),
    'The kind of span: a `window` over floors, the `days` of a lowest sale, or `nothing`.',
  ],
  metrics: [z.array(NamedMetric), 'The metrics, by their spans.'],
  unit: [
    z.enum(['currency', 'usd', 'percent', 'minutes']),
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

const times = z.int().min(0);

const PreviewCounts = object('PreviewCounts', 'How many alerts there would have been.', {
  fired: [times, 'How often the rule fired, or its threshold was crossed.'],
  worsened: [times, 'How often a further step was reached.'],
  reminder: [times, 'How many reminders there were.'],
  recovered: [times, 'How many episodes ended with an alert.'],
  closed: [times, 'How many episodes were open when the rule expired.'],
  stale: [times, 'How often no new price came for the time of `noData`.'],
  fresh: [times, 'How often new prices came back.'],
});

const Gap = object('Gap', 'A time without prices.', {
  from: [MomentText, `The last price before it: ${MOMENT}.`],
  to: [MomentText, `The first price after it: ${MOMENT}.`],
});

export const PartHistory = object('PartHistory', 'The evaluated prices of a query.', {
  part: reportedPrice.part,
  from: [MomentText.nullable(), `The first evaluated price: ${MOMENT}. It may be before the span.`],
  to: [MomentText.nullable(), `The last evaluated price: ${MOMENT}.`],
  points: [times, 'How many prices there are in the span.'],
  recorded: [times, 'How many prices were polled or imported.'],
  backFilled: [times, 'How many prices the data provider reported for this preview.'],
  typicalMinutes: [
    times.nullable(),
    'The median of the minutes between two prices. After 35 days one price a day is kept.',
  ],
  gaps: [
    times.nullable(),
    'How often there was no price for much longer than that: a change in such a gap is seen at its end. Null for sales.',
  ],
  longestGap: [Gap.nullable(), 'The longest gap.'],
});

export type PartHistory = Answered<typeof PartHistory>;

const BackFill = object('BackFill', 'The request to the data provider for past floors.', {
  pages: [times, 'How many pages were requested.'],
  trouble: [
    z.string().nullable(),
    'Why some floors are still missing, for people; null if none are.',
  ],
});

export const IgnoredPrice = object('IgnoredPrice', 'A price that a rule ignores.', {
  part: reportedPrice.part,
  why: [
    z.enum(['outlier', 'unconfirmed', 'below']),
    '`outlier`: a floor far from the one before, which the next one did not confirm (`outliers` of the rule); `unconfirmed`: a floor that one source reports alone (`minSources` of the rule); `below`: a sale under `ignoreBelow` of the rule.',
  ],
  time: [MomentText, `The time of the price: ${MOMENT}.`],
  price: [z.string(), PRICE],
  currency: [z.string(), reportedPrice.currency[1]],
});

export type IgnoredPrice = Answered<typeof IgnoredPrice>;

const PreviewedAlert = register({
  name: 'PreviewedAlert',
  schema: RuleAlert,
  side: 'output',
  description: 'An alert that would have been sent.',
  members: alertMembers,
});

export const PreviewedMessage = object(
  'PreviewedMessage',
  'An alert as a kind of channel is sent it.',
  {
    kind: [z.enum(KIND_NAMES), 'The kind of channel.'],
    message: [
      z.looseObject({}),
      'What is sent, without addresses and secrets: `subject` and `text` of an email, the alert itself to programs, to a service what its interface takes.',
    ],
  },
);

export type PreviewedMessage = Answered<typeof PreviewedMessage>;

export const ContractPreview = object(
  'ContractPreview',
  'The alerts that a rule would have sent about a contract.',
  {
    contract,
    counts: [
      PreviewCounts.nullable(),
      'How many alerts there would have been; null if the rule could not be evaluated.',
    ],
    notTested: [
      z.string().nullable(),
      'Why the rule could not be evaluated: the prices that it needs are not recorded. Null if it was evaluated.',
    ],
    pendingEnded: [
      times,
      'How often the rule was pending, and the value came back before the rule fired.',
    ],
    until: [
      MomentText,
      `The end of the replay: ${MOMENT}. It is the end of the span, unless the rule would have sent too many alerts.`,
    ],
    alerts: [
      z.array(PreviewedAlert),
      'The first two hundred alerts, oldest first, as they would have been sent; their watchlist is `preview`.',
    ],
    messages: [
      z.array(PreviewedMessage).nullable(),
      'How each kind of channel would show the last of `alerts`; null without alerts.',
    ],
    ignored: [
      z.array(IgnoredPrice),
      'The first two hundred prices that the rule ignored, oldest first.',
    ],
    history: [z.array(PartHistory), 'The evaluated prices, by query.'],
    backFill: [
      BackFill.nullable(),
      'The request to the data provider for floors that were not recorded; null if none were missing.',
    ],
    forecast: [
      ForecastRead,
      'What would happen at the next answer of the data provider, if the rule were created now.',
    ],
  },
);

export type ContractPreview = Answered<typeof ContractPreview>;

export const Preview = object('Preview', 'The alerts that a rule would have sent.', {
  from: [MomentText, `The beginning of the span: ${MOMENT}.`],
  to: [MomentText, `The end of the span: ${MOMENT}.`],
  notes: [z.array(z.string()), 'Limitations of the recorded data.'],
  contracts: [z.array(ContractPreview), 'The result for each contract that the rule is on.'],
});

export type Preview = Answered<typeof Preview>;
