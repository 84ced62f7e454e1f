import * as z from 'zod';
import { Identifier } from '#shared/domain/words.ts';
import { ForecastRead } from '#shared/http/answer-shapes.ts';
import { type Answered, object } from '#shared/http/described.ts';
import { ofWatch } from './watches.ts';

export const WatchForecast = object('WatchForecast', 'The forecast of a new watch.', {
  ...ofWatch,
  forecast: [ForecastRead, 'What happens at the next answer of the data provider.'],
});
export type WatchForecast = Answered<typeof WatchForecast>;

export const Warning = object('Warning', 'A part of a list that is probably not what was meant.', {
  rule: [Identifier.nullable(), 'The id of the rule that it is about.'],
  contract: [z.string().nullable(), 'The contract that it is about.'],
  text: [z.string(), 'What is wrong, and how to write what is probably meant.'],
});
export type Warning = Answered<typeof Warning>;

export const ExpectedCadence = object(
  'ExpectedCadence',
  'How often the contracts of a tenant are polled. Tenants share rate and budget; a tenant that needs more than its share has its own contracts polled less often.',
  {
    minutes: [z.int().positive(), 'Minutes between two polls with this change.'],
    promisedMinutes: [
      z.int().positive(),
      'Minutes between two polls within the share of the tenant.',
    ],
    contractsThatFit: [
      z.int().min(0).nullable(),
      'About how many contracts the share allows at that cadence; null before the first minute of the stack.',
    ],
  },
);
export type ExpectedCadence = Answered<typeof ExpectedCadence>;

export const ForecastOfChange = object(
  'ForecastOfChange',
  'What happens to new watches at the next answers of the data provider, if the values stay the same.',
  {
    watches: [
      z.array(WatchForecast),
      'New watches, the firing ones first: of at most 25 contracts, and at most a hundred in all.',
    ],
    leftOut: [z.int().min(0), 'How many new watches are left out.'],
    warnings: [
      z.array(Warning),
      'Rules that probably do not mean what they say, and new contracts that the data provider says it lacks: of those without any answer so far, ten at most are looked up.',
    ],
    cadence: [ExpectedCadence, 'How often the contracts of all your lists will be polled.'],
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
