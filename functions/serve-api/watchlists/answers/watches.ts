import * as z from 'zod';
import { Alert } from '#shared/domain/alerting/alert.ts';
import { WATCH_STATES } from '#shared/domain/evaluation/watch.ts';
import { STANDINGS } from '#shared/domain/evaluation/watch-standing.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import {
  CADENCE,
  DecimalText,
  ForecastRead,
  filledPage,
  MOMENT,
  MomentText,
  partialPage,
  reportedPrice,
} from '#shared/http/answer-shapes.ts';
import { type Answered, object, output } from '#shared/http/described.ts';
import { AcknowledgementRead } from './alerts.ts';

export const ofWatch = {
  rule: [Identifier, 'The id of the rule.'],
  contract: [ContractKey, 'The NFT contract.'],
} as const;

const conditionMembers = {
  metric: [z.string(), 'The metric; `silence_minutes.<N>d` for a no-data watch.'],
  when: [
    z.enum(['below', 'above', 'outside', 'inside', 'crosses']),
    'On which side of the threshold, or of the band, the rule fires.',
  ],
  threshold: [DecimalText.nullable(), 'The threshold, a decimal in `unit`; null for a band.'],
  recover: [
    DecimalText.nullable(),
    'The value past which the episode ends, a decimal in `unit`; null if the rule has none.',
  ],
  low: [
    DecimalText.nullable(),
    'The lower edge of the band, a decimal in `unit`; null without a band.',
  ],
  high: [
    DecimalText.nullable(),
    'The upper edge of the band, a decimal in `unit`; null without a band.',
  ],
  unit: [z.string(), 'The unit of the numbers: a currency, `usd`, `%` or `minutes`.'],
  value: [
    DecimalText.nullable(),
    'The current value of the metric, a decimal in `unit`; null if unknown.',
  ],
} as const;

export const WatchCondition = object(
  'WatchCondition',
  'One of the conditions that must hold together.',
  conditionMembers,
);
export type WatchCondition = Answered<typeof WatchCondition>;

const WaitsFor = object('WaitsFor', 'The values at which a watch reacts next.', {
  metric: [z.string(), 'The metric of the values; `all` if any new observation is evaluated.'],
  falling: [
    DecimalText.nullable(),
    'The watch reacts at this value and below; null if it waits for none.',
  ],
  rising: [
    DecimalText.nullable(),
    'The watch reacts at this value and above; null if it waits for none.',
  ],
});

const Health = object('Health', 'The health of the data of a watch.', {
  state: [
    z.enum(['waiting', 'fresh', 'stale', 'disputed', 'error']),
    '`waiting`: no data yet. `fresh`: all is well. `stale`: the last data are from before `since`. `disputed`: the data contradict themselves, or are in another currency. `error`: the rule could not be evaluated.',
  ],
  code: [z.string(), 'The reason as a code: `ok`, `not_ready`, `throttled`, `failed_timeout`, …'],
  reason: [z.string().nullable(), 'The reason for people; null if all is well.'],
  since: [MomentText.nullable(), `Since when: ${MOMENT}.`],
});

const watchMembers = {
  ...ofWatch,
  noData: [z.boolean(), 'Whether it is the no-data watch of its rule (`noData`).'],
  name: [Line.nullable(), 'The name of the collection, if the list has one.'],
  label: [Line.nullable(), 'The label of the rule, if it has one.'],
  ...conditionMembers,
  all: [
    z.array(WatchCondition).nullable(),
    'The conditions that must hold together, if there are several; the members of the watch are then those of the first.',
  ],
  severity: [Alert.shape.severity, 'The severity of its alerts.'],
  admin: [
    z.enum(['enabled', 'paused', 'expired', 'muted']),
    'Whether it may send alerts: `muted` until `mutedUntil`, `paused` by `enabled: false`, `expired` after the end of the rule.',
  ],
  mutedUntil: [
    MomentText.nullable(),
    `When the mute that covers it ends at the latest: ${MOMENT}; null without a mute.`,
  ],
  mutedUntilRecovered: [
    z.boolean(),
    'Whether that mute ends with the open episode, and at `mutedUntil` at the latest.',
  ],
  state: [
    z.enum(WATCH_STATES),
    '`unknown` until the first value after its creation, `ok` at rest, `pending` while it is beyond but not long or often enough, `firing`, `recovering` while it is back but not long enough, `disarmed` while a `cross` rule waits for the good side, `ended` after the one episode of a `once` rule.',
  ],
  stateSince: [
    MomentText.nullable(),
    `The time of the data that brought it into \`state\`: ${MOMENT}.`,
  ],
  episode: [
    z.int().min(0),
    'How many episodes there were in its generation; the last one is open while it is firing or recovering.',
  ],
  acknowledged: [
    AcknowledgementRead.nullable(),
    'The acknowledgement of the open episode; null without one.',
  ],
  generation: [
    z.int().positive(),
    'The revision of the list at which the condition of the rule last changed or the contract joined.',
  ],
  waitsFor: [WaitsFor, 'The values at which it reacts next.'],
  dataTime: [MomentText.nullable(), `The time of its newest data: ${MOMENT}.`],
  health: [Health, 'The health of its data.'],
} as const;

export const WatchRead = object(
  'Watch',
  'One rule on one contract: the thing that has a state.',
  watchMembers,
);
export type WatchRead = Answered<typeof WatchRead>;

export const WatchPage = object('WatchPage', 'A page of watches of a list.', {
  watches: [z.array(WatchRead), 'The watches of 25 contracts at most, contract by contract.'],
  ...partialPage,
});
export type WatchPage = Answered<typeof WatchPage>;

/** The standing of a watch, with its description. */
export const STANDING = [
  z.enum(STANDINGS),
  '`firing`: its episode is open. `acknowledged`: the same, and a person knows. `error`: the rule could not be evaluated. `noData`: the data are stale, or its no-data watch fires. `disputed`: the data contradict themselves. `pending`: it is beyond, but not long or often enough. `waiting`: there is no value yet. `ok`: it is at rest. `expired`: its `expiresAt` has passed. `off`: it is paused, or its only episode has ended.',
] as const;

/** How far a value is from its line, with descriptions. */
export const lineDistance = {
  distance: [
    DecimalText.nullable(),
    'How far the value is from that line, a decimal in `unit`; zero or less beyond it.',
  ],
  distancePct: [
    DecimalText.nullable(),
    'The same in percent of the value, cut to two decimals; of a percentage its points. Null for a metric that the clock moves.',
  ],
  direction: [z.enum(['falls', 'rises']).nullable(), 'Where the value has to go to reach it.'],
} as const;

export const AnyWatch = object('AnyWatch', 'A watch of one of the lists.', {
  watchlist: [Identifier, 'The id of the list.'],
  ...watchMembers,
  standing: STANDING,
  line: [
    DecimalText.nullable(),
    'The line at which it fires next, a decimal in `unit`: the threshold or an edge of the band. Of several conditions it is that of the furthest. Null without a value.',
  ],
  ...lineDistance,
  why: [z.string(), 'Why the watch is silent now, in a sentence or two.'],
});
export type AnyWatch = Answered<typeof AnyWatch>;

export const AnyWatchPage = object('AnyWatchPage', 'A page of watches of all lists.', {
  watches: [z.array(AnyWatch), 'The watches.'],
  ...filledPage,
});
export type AnyWatchPage = Answered<typeof AnyWatchPage>;

export const WatchToCome = object(
  'WatchToCome',
  'A watch that the last change of its list has yet to create.',
  {
    ...ofWatch,
    state: [z.null(), 'There is no state yet.'],
    why: [z.string(), 'Why the watch is silent now.'],
  },
);
export type WatchToCome = Answered<typeof WatchToCome>;

export const WatchReading = output(
  'WatchReading',
  z.union([WatchRead, WatchToCome]),
  'One watch, or one that the last change of its list has yet to create.',
);

const ReportedPrice = object(
  'ReportedPrice',
  'The price that the data provider reported last.',
  reportedPrice,
);

const NextEvaluation = object('NextEvaluation', 'When a watch is evaluated next.', {
  pollAt: [
    MomentText.nullable(),
    `The minute of the next poll, if rate and budget allow it: ${MOMENT}.`,
  ],
  cadenceMinutes: CADENCE,
  wakeAt: [
    MomentText.nullable(),
    `The next timer: the end of \`for\` or \`keepFor\`, or a reminder: ${MOMENT}.`,
  ],
});

export const WatchExplanation = object('WatchExplanation', 'A watch, and why it is silent.', {
  ...watchMembers,
  why: [z.string(), 'Why the watch is silent now, in a sentence or two.'],
  forecast: [
    ForecastRead,
    'What happens at the next answer of the data provider, if the values stay the same.',
  ],
  waitsForInWords: [
    z.string().nullable(),
    'The same as `waitsFor` in words; null if it waits for no value.',
  ],
  reported: [z.array(ReportedPrice), 'The last reported prices, by query.'],
  nextEvaluation: [NextEvaluation, 'When it is evaluated next.'],
});
export type WatchExplanation = Answered<typeof WatchExplanation>;

export const Explanation = output(
  'Explanation',
  z.union([WatchExplanation, WatchToCome]),
  'One watch and why it is silent, or one that the last change of its list has yet to create.',
);
