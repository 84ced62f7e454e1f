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

import { contract } from './contracts.ts';

const KIND_NAMES = Object.keys(KINDS);

const times = z.int().min(0);

const PreviewCounts = object(
  'PreviewCounts',
  'The number of alerts of each kind that would have been sent.',
  {
    fired: [times, 'Alerts about a condition that was met or a threshold that was crossed.'],
    worsened: [times, 'Alerts about a value that moved further past the threshold (`steps`).'],
    reminder: [times, 'Reminders.'],
    recovered: [times, 'Alerts about the end of an episode.'],
    closed: [times, 'Alerts about episodes that were open when the rule expired.'],
    stale: [times, 'Alerts about missing prices (`noData`).'],
    fresh: [times, 'Alerts about prices that are reported again (`noData`).'],
  },
);

const Gap = object('Gap', 'A period without prices.', {
  from: [MomentText, `The time of the last price before the gap: ${MOMENT}.`],
  to: [MomentText, `The time of the first price after the gap: ${MOMENT}.`],
});

export const SeriesHistory = object('SeriesHistory', 'The evaluated prices of a price series.', {
  series: reportedPrice.series,
  from: [
    MomentText.nullable(),
    `The time of the first evaluated price, which may be before the span: ${MOMENT}.`,
  ],
  to: [MomentText.nullable(), `The time of the last evaluated price: ${MOMENT}.`],
  points: [times, 'The number of prices in the span.'],
  recorded: [times, 'The number of polled or imported prices.'],
  backFilled: [
    times,
    'The number of prices that were read from the data provider for this preview.',
  ],
  typicalMinutes: [
    times.nullable(),
    'The median number of minutes between two prices. After 35 days, only one price per day is kept.',
  ],
  gaps: [
    times.nullable(),
    'The number of gaps: periods without a price that are much longer than `typicalMinutes`. A change within a gap is evaluated at the end of the gap. Null for sales.',
  ],
  longestGap: [Gap.nullable(), 'The longest gap.'],
});

export type SeriesHistory = Answered<typeof SeriesHistory>;

const BackFill = object('BackFill', 'The request to the data provider for past floors.', {
  pages: [times, 'The number of requested pages.'],
  trouble: [
    z.string().nullable(),
    'The reason why floors are still missing, in words; null if they are complete.',
  ],
});

export const IgnoredPrice = object('IgnoredPrice', 'A price that a rule ignores.', {
  series: reportedPrice.series,
  why: [
    z.enum(['outlier', 'unconfirmed', 'below']),
    '`outlier`: a floor that is far from the previous floor and that the next floor did not confirm (`outliers` of the rule). `unconfirmed`: a floor that only one source reports (`minSources` of the rule). `below`: a sale below the `ignoreBelow` of the rule.',
  ],
  time: [MomentText, `The time of the price: ${MOMENT}.`],
  price: [z.string(), 'The price, a decimal in `currency`.'],
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
  'The message of an alert for one kind of channel.',
  {
    kind: [z.enum(KIND_NAMES), 'The kind of channel.'],
    message: [
      z.looseObject({}),
      'The content, without addresses and secrets: `subject` and `text` for an email, the request body for a chat, or the alert itself for a program.',
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
      'The number of alerts of each kind that would have been sent; null if the rule could not be evaluated.',
    ],
    notTested: [
      z.string().nullable(),
      'The reason why the rule could not be evaluated, such as missing recorded prices. Null if it was evaluated.',
    ],
    pendingEnded: [times, 'How many times the rule was pending but recovered before it fired.'],
    until: [
      MomentText,
      `The end of the replay: ${MOMENT}. It is the end of the span, or earlier if the rule would have sent too many alerts.`,
    ],
    alerts: [
      z.array(PreviewedAlert),
      'The first 200 alerts, oldest first. The `watchlist` of these alerts is `preview`. The rule is evaluated at each reported price, at each timer, when a price leaves a window, and when a moving average ends an episode. Real polls detect the last two of these events up to one poll interval later.',
    ],
    messages: [
      z.array(PreviewedMessage).nullable(),
      'The message that each kind of channel would get about the last alert in `alerts`; null if `alerts` is empty.',
    ],
    ignored: [z.array(IgnoredPrice), 'The first 200 prices that the rule ignored, oldest first.'],
    history: [z.array(SeriesHistory), 'The evaluated prices of each price series.'],
    backFill: [
      BackFill.nullable(),
      'The request to the data provider for floors that were not recorded; null if all floors were recorded.',
    ],
    forecast: [
      ForecastRead,
      'What the rule would be expected to do at the next poll if it were created now.',
    ],
  },
);

export type ContractPreview = Answered<typeof ContractPreview>;

export const Preview = object('Preview', 'The alerts that a rule would have sent.', {
  from: [MomentText, `The start of the span: ${MOMENT}.`],
  to: [MomentText, `The end of the span: ${MOMENT}.`],
  notes: [z.array(z.string()), 'Limitations of the recorded data.'],
  contracts: [z.array(ContractPreview), 'The result for each contract of the rule.'],
});

export type Preview = Answered<typeof Preview>;

const SuggestedLine = object(
  'SuggestedLine',
  'A threshold at which the rule would have sent few alerts.',
  {
    threshold: [
      DecimalText,
      'The threshold. All other members of the rule stay the same; `recover` moves with it, at the same distance.',
    ],
    alerts: [
      z.array(PreviewedAlert),
      'The one to three alerts that the rule would have sent with this threshold, oldest first.',
    ],
  },
);

export type SuggestedLine = Answered<typeof SuggestedLine>;

const ContractSuggestions = object(
  'ContractSuggestions',
  'The suggested thresholds for one contract.',
  {
    contract,
    notTested: [
      z.string().nullable(),
      'The reason why no threshold can be suggested: no price is recorded, the rule has no single threshold, or its metric is in minutes. Null if thresholds were tested.',
    ],
    lines: [
      z.array(SuggestedLine),
      'At most three thresholds, the nearest to the current value first. Empty if no threshold would have led to one to three alerts.',
    ],
  },
);

export type ContractSuggestions = Answered<typeof ContractSuggestions>;

export const Suggestions = object(
  'Suggestions',
  'Thresholds at which the rule would have sent few alerts.',
  {
    from: [MomentText, `The start of the span: ${MOMENT}.`],
    to: [MomentText, `The end of the span: ${MOMENT}.`],
    contracts: [z.array(ContractSuggestions), 'The result for each contract of the rule.'],
  },
);

export type Suggestions = Answered<typeof Suggestions>;
