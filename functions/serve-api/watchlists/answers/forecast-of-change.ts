import * as z from 'zod';
import { Identifier } from '#shared/domain/words.ts';
import { ForecastRead } from '#shared/http/answer-shapes.ts';
import { type Answered, object } from '#shared/http/described.ts';
import { ofWatch } from './watches.ts';

export const WatchForecast = object('WatchForecast', 'The forecast of a new watch.', {
  ...ofWatch,
  forecast: [ForecastRead, 'The forecast for the next answer of the data provider.'],
});
export type WatchForecast = Answered<typeof WatchForecast>;

export const Warning = object('Warning', 'A part of a list that is probably wrong.', {
  rule: [Identifier.nullable(), 'The id of the rule in question.'],
  contract: [z.string().nullable(), 'The contract in question.'],
  text: [z.string(), 'The probable mistake, and its correction.'],
});
export type Warning = Answered<typeof Warning>;

export const ExpectedCadence = object(
  'ExpectedCadence',
  'The poll interval of the contracts of a tenant. Tenants share rate limit and budget: the contracts of a tenant that needs more than its share are polled less often.',
  {
    minutes: [z.int().positive(), 'Minutes between two polls with this change.'],
    promisedMinutes: [
      z.int().positive(),
      'Minutes between two polls within the share of the tenant.',
    ],
    contractsThatFit: [
      z.int().min(0).nullable(),
      'The approximate number of contracts that the share allows at that interval; null before the first minute of the stack.',
    ],
  },
);
export type ExpectedCadence = Answered<typeof ExpectedCadence>;

export const ForecastOfChange = object(
  'ForecastOfChange',
  'The forecasts of new watches for the next answers of the data provider, if the values stay the same.',
  {
    watches: [
      z.array(WatchForecast),
      'New watches, the firing ones first: of at most 25 contracts, and at most 100 in total.',
    ],
    leftOut: [z.int().min(0), 'The number of omitted new watches.'],
    warnings: [
      z.array(Warning),
      'Rules that are probably wrong, and new contracts that the data provider does not know. At most ten new contracts are looked up.',
    ],
    cadence: [
      ExpectedCadence,
      'The poll interval of the contracts of all your lists after the change.',
    ],
  },
);
export type ForecastOfChange = Answered<typeof ForecastOfChange>;

/** The members of each answer to a change of a list. */
export const ofChange = {
  restarted: [
    z.array(Identifier).optional(),
    'In an answer to a change: the rules whose open episodes were closed, because their conditions changed.',
  ],
  forecast: [
    ForecastOfChange.optional(),
    'In an answer to a change: the forecast of the new watches.',
  ],
} as const;
