import * as z from 'zod';
import { Alert } from '#shared/domain/alerting/alert.ts';
import { WATCH_STATES } from '#shared/domain/evaluation/watch.ts';
import { STATUSES } from '#shared/domain/evaluation/watch-status.ts';
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
  UNITS,
} from '#shared/http/answer-shapes.ts';
import { type Answered, object, output } from '#shared/http/described.ts';
import { AcknowledgementRead } from './alerts.ts';

export const ofWatch = {
  rule: [Identifier, 'The id of the rule.'],
  contract: [ContractKey, 'The NFT contract.'],
} as const;

const conditionMembers = {
  metric: [
    z.string(),
    'The metric. For a no-data watch, the metric that measures how long data have been missing: `data_age_minutes` for floors, `silence_minutes.<N>d` for lowest sales, `statistics_silence_minutes.<series>` or `offers_silence_minutes`.',
  ],
  when: [
    z.enum(['below', 'above', 'outside', 'inside', 'crosses']),
    'The side of the threshold or of the band on which the rule fires.',
  ],
  threshold: [DecimalText.nullable(), 'The threshold, a decimal in `unit`; null for a band.'],
  recover: [
    DecimalText.nullable(),
    'The recovery threshold, at which the episode ends, a decimal in `unit`; null if the rule has none.',
  ],
  low: [
    DecimalText.nullable(),
    'The lower edge of the band, a decimal in `unit`; null if there is no band.',
  ],
  high: [
    DecimalText.nullable(),
    'The upper edge of the band, a decimal in `unit`; null if there is no band.',
  ],
  unit: [z.string(), `The unit of the numbers: ${UNITS}.`],
  value: [
    DecimalText.nullable(),
    'The current value of the metric, a decimal in `unit`; null if unknown.',
  ],
} as const;

export const WatchCondition = object(
  'WatchCondition',
  'One of the conditions of a rule with `all`.',
  conditionMembers,
);
export type WatchCondition = Answered<typeof WatchCondition>;

const WaitsFor = object('WaitsFor', 'The values at which a watch reacts next.', {
  metric: [
    z.string(),
    'The metric to which the values refer; `all` if every new observation is evaluated.',
  ],
  falling: [
    DecimalText.nullable(),
    'The watch reacts at or below this value; null if no lower value changes its state.',
  ],
  rising: [
    DecimalText.nullable(),
    'The watch reacts at or above this value; null if no higher value changes its state.',
  ],
});

const Health = object('Health', "The health of a watch's data.", {
  state: [
    z.enum(['waiting', 'fresh', 'stale', 'disputed', 'error']),
    '`waiting`: no data have been received yet. `fresh`: the newest data are usable. `stale`: no newer data since `since`. `disputed`: the data are contradictory, or in another currency. `error`: the rule could not be evaluated.',
  ],
  code: [z.string(), 'The reason as a code: `ok`, `not_ready`, `throttled`, `failed_timeout`, …'],
  reason: [z.string().nullable(), 'The reason in words; null if the data are fresh.'],
  since: [MomentText.nullable(), `The time at which the data entered this state: ${MOMENT}.`],
});

const watchMembers = {
  ...ofWatch,
  noData: [z.boolean(), 'Whether this is the no-data watch of the rule (`noData`).'],
  name: [Line.nullable(), 'The name of the collection, if the list has one.'],
  label: [Line.nullable(), 'The label of the rule, if it has one.'],
  ...conditionMembers,
  all: [
    z.array(WatchCondition).nullable(),
    'All conditions of a rule with `all`; the watch fires while all of them hold. The members of the watch itself describe the first condition.',
  ],
  severity: [Alert.shape.severity, 'The severity of the alerts.'],
  admin: [
    z.enum(['enabled', 'paused', 'expired', 'muted']),
    'Whether the watch may send alerts: `muted` until `mutedUntil`, `paused` by `enabled: false`, `expired` after `expiresAt`.',
  ],
  mutedUntil: [
    MomentText.nullable(),
    `The time at which the mute ends at the latest: ${MOMENT}; null if the watch is not muted.`,
  ],
  mutedUntilRecovered: [
    z.boolean(),
    'Whether the mute ends with the open episode, but at `mutedUntil` at the latest.',
  ],
  state: [
    z.enum(WATCH_STATES),
    '`unknown`: no value since the watch was created. `ok`: the condition does not hold. `pending`: the condition holds, but not yet long or often enough. `firing`: an episode is open. `recovering`: the value has recovered, but not yet long enough. `disarmed`: a `cross` rule waits until its condition no longer holds. `ended`: the only episode of a `once` rule has ended.',
  ],
  stateSince: [MomentText.nullable(), `The time of the data that caused \`state\`: ${MOMENT}.`],
  episode: [
    z.int().min(0),
    'The number of episodes since the last restart. The last episode is open while the watch is firing or recovering.',
  ],
  acknowledged: [
    AcknowledgementRead.nullable(),
    'The acknowledgement of the open episode; null if no open episode is acknowledged.',
  ],
  generation: [
    z.int().positive(),
    "The list revision in which the rule's condition last changed, or the contract was added.",
  ],
  waitsFor: [WaitsFor, 'The values at which the watch reacts next.'],
  dataTime: [MomentText.nullable(), `The time of the newest data: ${MOMENT}.`],
  health: [Health, 'The health of the data.'],
} as const;

export const WatchRead = object('Watch', 'One rule on one contract, with its state.', watchMembers);
export type WatchRead = Answered<typeof WatchRead>;

export const WatchPage = object('WatchPage', 'A page of watches of a list.', {
  watches: [z.array(WatchRead), 'The watches of at most 25 contracts, grouped by contract.'],
  ...partialPage,
});
export type WatchPage = Answered<typeof WatchPage>;

/** The status of a watch, with its description. */
export const STATUS = [
  z.enum(STATUSES),
  '`firing`: an episode is open. `acknowledged`: an episode is open and acknowledged. `error`: the rule could not be evaluated. `noData`: the data are stale, or the no-data watch of the rule fires. `disputed`: the data are contradictory. `pending`: the condition holds, but not yet long or often enough. `waiting`: there is no value yet. `ok`: the condition does not hold. `expired`: `expiresAt` has passed. `off`: the rule is paused, or its only episode has ended.',
] as const;

/** The distance of a value from its line, with descriptions. */
export const lineDistance = {
  distance: [
    DecimalText.nullable(),
    'The distance of the value from `line`, a decimal in `unit`; zero or negative past the line.',
  ],
  distancePct: [
    DecimalText.nullable(),
    '`distance` as a percentage of the value (for a gain, of the cost), truncated to two fraction digits; for a metric in percent, in percentage points. Null for a metric that changes as time passes.',
  ],
  direction: [
    z.enum(['falls', 'rises']).nullable(),
    'The direction in which the value must move to reach the line.',
  ],
} as const;

export const AnyWatch = object('AnyWatch', 'A watch, with the id of its list.', {
  watchlist: [Identifier, 'The id of the list.'],
  ...watchMembers,
  status: STATUS,
  line: [
    DecimalText.nullable(),
    'The line at which the watch fires next, a decimal in `unit`: the threshold or an edge of the band. With several conditions, the line that is furthest from the value of its metric. Null if the value is unknown.',
  ],
  ...lineDistance,
  why: [z.string(), 'The reason why the watch is silent now, in one or more sentences.'],
});
export type AnyWatch = Answered<typeof AnyWatch>;

export const AnyWatchPage = object('AnyWatchPage', 'A page of watches from all lists.', {
  watches: [z.array(AnyWatch), 'The watches.'],
  ...filledPage,
});
export type AnyWatchPage = Answered<typeof AnyWatchPage>;

export const WatchToCome = object(
  'WatchToCome',
  'A watch that does not exist yet because the latest change of its list is still being applied.',
  {
    ...ofWatch,
    state: [z.null(), 'Always null: the watch has no state yet.'],
    why: [z.string(), 'The reason why the watch is silent now.'],
  },
);
export type WatchToCome = Answered<typeof WatchToCome>;

export const WatchReading = output(
  'WatchReading',
  z.union([WatchRead, WatchToCome]),
  'A watch, or a watch that does not exist yet because the latest change of its list is still being applied.',
);

const ReportedPrice = object(
  'ReportedPrice',
  'The last price that the data provider reported.',
  reportedPrice,
);

const NextEvaluation = object('NextEvaluation', 'The next evaluation of a watch.', {
  pollAt: [
    MomentText.nullable(),
    `The minute of the next poll, if the rate limit and the budget allow it: ${MOMENT}.`,
  ],
  cadenceMinutes: CADENCE,
  wakeAt: [
    MomentText.nullable(),
    `The time of the next timer: the end of \`for\` or \`keepFor\`, or a reminder: ${MOMENT}.`,
  ],
});

export const WatchExplanation = object(
  'WatchExplanation',
  'A watch, with the reason why it is silent now.',
  {
    ...watchMembers,
    why: [z.string(), 'The reason why the watch is silent now, in one or more sentences.'],
    forecast: [
      ForecastRead,
      'What the watch is expected to do at the next poll, if the values stay the same.',
    ],
    waitsForInWords: [
      z.string().nullable(),
      '`waitsFor` in words; null if no value changes the state of the watch.',
    ],
    reported: [
      z.array(ReportedPrice),
      'The last reported price of each price series that the rule uses.',
    ],
    nextEvaluation: [NextEvaluation, 'The next evaluation.'],
  },
);
export type WatchExplanation = Answered<typeof WatchExplanation>;

export const Explanation = output(
  'Explanation',
  z.union([WatchExplanation, WatchToCome]),
  'A watch with the reason why it is silent now, or a watch that does not exist yet because the latest change of its list is still being applied.',
);
