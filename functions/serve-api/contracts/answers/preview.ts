import * as z from 'zod';
import { alertMembers } from '#functions/serve-api/watchlists/answers/alerts.ts';
import { KINDS } from '#shared/channels/kinds.ts';
import { RuleAlert } from '#shared/domain/alerting/alert.ts';
import {
  DecimalText,
  ForecastRead,
  MOMENT,
  MomentText,
  reportedPrice,
} from '#shared/http/answer-shapes.ts';
import { type Answered, object, register } from '#shared/http/described.ts';

import { contract, PRICE } from './contracts.ts';

const KIND_NAMES = Object.keys(KINDS);

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

const SuggestedLine = object('SuggestedLine', 'A threshold with few alerts in the past.', {
  threshold: [
    DecimalText,
    'The threshold. All other members of the rule stay; `recover` keeps its distance.',
  ],
  alerts: [
    z.array(PreviewedAlert),
    'The one to three alerts that it would have sent, oldest first.',
  ],
});

export type SuggestedLine = Answered<typeof SuggestedLine>;

const ContractSuggestions = object(
  'ContractSuggestions',
  'Thresholds for one contract. Nothing is created.',
  {
    contract,
    notTested: [
      z.string().nullable(),
      'Why no threshold can be suggested: nothing is recorded, or the rule has no single threshold. Null if the past was searched.',
    ],
    lines: [
      z.array(SuggestedLine),
      'Three thresholds at most, the nearest to the present value first. Empty if each would have sent more than three alerts, or none.',
    ],
  },
);

export type ContractSuggestions = Answered<typeof ContractSuggestions>;

export const Suggestions = object('Suggestions', 'Thresholds that would have sent few alerts.', {
  from: [MomentText, `The beginning of the span: ${MOMENT}.`],
  to: [MomentText, `The end of the span: ${MOMENT}.`],
  contracts: [z.array(ContractSuggestions), 'The result for each contract that the rule is on.'],
});

export type Suggestions = Answered<typeof Suggestions>;
