import * as z from 'zod';
import { Identifier } from '#shared/domain/words.ts';
import { ForecastRead } from '#shared/http/answer-shapes.ts';
import { type Answered, object } from '#shared/http/described.ts';
import { ofWatch } from './watches.ts';

export const WatchForecast = object('WatchForecast', 'What a new watch is expected to do.', {
  ...ofWatch,
  forecast: [ForecastRead, 'What the watch is expected to do at the next poll.'],
});
export type WatchForecast = Answered<typeof WatchForecast>;

export const Warning = object('Warning', 'A probable mistake in a list.', {
  rule: [Identifier.nullable(), 'The id of the rule in question.'],
  contract: [z.string().nullable(), 'The contract in question.'],
  text: [z.string(), 'The probable mistake, and how to correct it.'],
});
export type Warning = Answered<typeof Warning>;

export const ExpectedCadence = object(
  'ExpectedCadence',
  "The poll interval of a tenant's contracts. Tenants share the rate limit and the budget. If a tenant needs more than its share, its contracts are polled less often.",
  {
    minutes: [z.int().positive(), 'The poll interval with this change, in minutes.'],
    promisedMinutes: [
      z.int().positive(),
      "The configured poll interval, in minutes. The tenant's share allows this interval for `contractsThatFit` contracts.",
    ],
    contractsThatFit: [
      z.int().min(0).nullable(),
      'The approximate number of contracts that the share allows at the configured interval; null until the stack has run for a minute.',
    ],
  },
);
export type ExpectedCadence = Answered<typeof ExpectedCadence>;

export const ForecastOfChange = object(
  'ForecastOfChange',
  'What new watches are expected to do at the next poll, if the values stay the same.',
  {
    watches: [
      z.array(WatchForecast),
      'The new watches, the firing ones first: at most 100 watches, on at most 25 contracts.',
    ],
    leftOut: [z.int().min(0), 'The number of new watches that `watches` omits.'],
    warnings: [
      z.array(Warning),
      'Rules that are probably wrong, and new contracts that the data provider does not have. At most ten new contracts are looked up.',
    ],
    cadence: [ExpectedCadence, 'The poll interval of your contracts after the change.'],
  },
);
export type ForecastOfChange = Answered<typeof ForecastOfChange>;

/** The members of each answer to a change of a list. */
export const ofChange = {
  restarted: [
    z.array(Identifier).optional(),
    'In the response to a change: the rules whose open episodes were closed, because their conditions changed.',
  ],
  forecast: [
    ForecastOfChange.optional(),
    'In the response to a change: what the new watches are expected to do.',
  ],
} as const;
