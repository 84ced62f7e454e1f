import * as z from 'zod';
import { FORECASTS } from '#shared/domain/evaluation/forecast.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { Line } from '#shared/domain/words.ts';
import { type Answered, object } from './described.ts';

/*
 * Members that answers of several functions share. Functions import the schemas of answers only by
 * type: the OpenAPI document is generated from them, and tests check each answer against them.
 */

/** A moment as every answer reports it: ISO 8601, UTC, with milliseconds. */
export const MomentText = z.iso.datetime({ precision: 3 });

/** How a moment is reported, for descriptions. */
export const MOMENT = 'ISO 8601, UTC, with milliseconds';

/** An exact number as every answer reports it: a decimal text in its shortest form. */
export const DecimalText = z.string().regex(/^-?\d{1,40}(\.\d{1,18})?$/);

/** What a page leaves out, since another version has written it. */
export const UnreadableEntry = object(
  'Unreadable',
  'An entry that this version of the stack cannot read.',
  {
    kind: [
      z.enum(['watchlist', 'contract', 'watch', 'channel', 'alert', 'acknowledgement', 'change']),
      'The kind of entry.',
    ],
    id: [z.string(), 'Its id, as in paths.'],
    reason: [z.string(), 'Why it cannot be read.'],
  },
);

export type UnreadableEntry = Answered<typeof UnreadableEntry>;

export const UnreadableEntries = z.array(UnreadableEntry);

/** The description of `unreadable`. */
export const LEFT_OUT =
  'The entries that are left out because this version of the stack cannot read them.';

/** The members of each page. */
export const page = {
  cursor: [
    z.string().nullable(),
    'Where the next page begins: the `cursor` of the next request; null at the end.',
  ],
} as const;

/** The members of each page with entries that may be left out. */
export const partialPage = { ...page, unreadable: [UnreadableEntries, LEFT_OUT] } as const;

/** The members of each page that reads on until it is full. */
export const filledPage = {
  ...page,
  stoppedShort: [
    z.boolean(),
    'Whether reading stopped before the page was full: continue with `cursor`.',
  ],
  unreadable: partialPage.unreadable,
} as const;

/** The members of each answer about a part of a list. */
export const ofList = {
  revision: [z.int().positive(), 'The revision of the list.'],
  pendingChanges: [
    z.int().min(0),
    'The number of contracts on which this revision is not in effect yet.',
  ],
} as const;

/** A cadence, with its description. */
export const CADENCE = [z.int().positive(), 'Minutes between two polls of a contract.'] as const;

/** The last reported price, by the query to the data provider. */
export const reportedPrice = {
  part: [z.string(), 'The query to the data provider: `floor`, or `lowest.<N>d`.'],
  price: [
    DecimalText.nullable(),
    'The price, a decimal in `currency`; null if the answer has none.',
  ],
  currency: [z.string().nullable(), 'The symbol of the currency, in lower case.'],
  usd: [DecimalText.nullable(), 'The price in dollars, a decimal, if it was reported.'],
  dataTime: [MomentText.nullable(), `The time of the price: ${MOMENT}.`],
  source: [
    z.string().nullable(),
    'The source: marketplaces of a floor, the transaction of a sale.',
  ],
  answeredAt: [MomentText.nullable(), `When the last answered query was sent: ${MOMENT}.`],
} as const;

export const Reading = object('Reading', 'A condition and the current value of its metric.', {
  metric: [z.string(), 'The metric.'],
  condition: [z.string(), 'The condition in words.'],
  unit: [z.string(), 'The unit of the value: a currency, `usd`, `%` or `minutes`.'],
  value: [
    DecimalText.nullable(),
    'The current value of the metric, a decimal in `unit`; null if unknown.',
  ],
  beyond: [z.boolean().nullable(), 'Whether the condition holds; null if the value is unknown.'],
});

export type Reading = Answered<typeof Reading>;

export const ForecastRead = object(
  'Forecast',
  'What happens to a rule on a contract at the next answer of the data provider, if the values stay the same.',
  {
    code: [
      z.enum(FORECASTS),
      '`fires`: the value is beyond, and the rule fires with that answer. `rests`: the value is not beyond. `waits_for_move`: a percentage is beyond only because its window has moved; the rule fires if the price moves. `waits_for_crossing`: the value is beyond, and `arm` is `cross`. `must_hold`, `must_be_confirmed`: the value is beyond, but not yet long or often enough. `firing`: the episode is open; `recovering`: the episode ends at `at`; `recovers`: the episode ends with that answer. `first_answer`: there is no answer yet. `not_evaluated`: there is no value to compare. `paused`, `expired`, `ended`: the rule is not evaluated any more.',
    ],
    text: [z.string(), 'The same in a sentence for people.'],
    at: [
      MomentText.nullable(),
      `The next timer if the value stays the same (the end of \`for\` or \`keepFor\`, a reminder, the age of data): ${MOMENT}; null without one.`,
    ],
    conditions: [z.array(Reading), 'The conditions, each with the current value of its metric.'],
  },
);

export type ForecastRead = Answered<typeof ForecastRead>;

export const ValidationIssue = object(
  'ValidationIssue',
  'What is wrong with one member of a request.',
  {
    pointer: [
      z.string(),
      'Where it is: a JSON pointer into the body, or `?` and the name of a parameter.',
    ],
    detail: [z.string(), 'What was expected there.'],
  },
);
export type ValidationIssue = Answered<typeof ValidationIssue>;

/** A problem document; ours and the gateway's. */
export const Problem = object(
  'Problem',
  'A problem document (RFC 9457). After a 4xx nothing has changed.',
  {
    type: [z.string(), 'The kind of problem: `urn:floorwatch:problem:<code>`. It is stable.'],
    title: [z.string(), 'The kind of problem in words.'],
    status: [z.int().min(400).max(599), 'The status of the answer.'],
    detail: [z.string(), 'What went wrong this time, for people.'],
    errors: [
      z.array(ValidationIssue).optional(),
      'The wrong members and parameters, at most fifty.',
    ],
    message: [
      z.string().optional(),
      'The same as `detail`, in answers of the interface v2.2 and of the gateway.',
    ],
  },
);

export type Problem = Answered<typeof Problem>;

export const ofCollection = {
  name: [Line, 'Its name, on one line.'],
  slug: [z.string(), 'Its slug at the data provider.'],
  image: [z.string().nullable(), 'The URL of an image of it, with `https`; null without one.'],
} as const;

const FoundCollection = object('FoundCollection', 'A collection.', {
  contract: [ContractKey, 'Its NFT contract, as watchlists take it.'],
  ...ofCollection,
});

const CollectionCandidate = object('CollectionCandidate', 'A collection that may be meant.', {
  name: [z.string(), 'Its name.'],
  slug: [z.string(), 'Its slug at the data provider: ask for it with `query`.'],
});

export const FoundCollections = object(
  'FoundCollections',
  'Collections that the data provider found.',
  {
    collection: [
      FoundCollection.nullable(),
      'The collection that is meant; null if none is found for certain.',
    ],
    candidates: [z.array(CollectionCandidate), 'Collections that may be meant otherwise.'],
  },
);

export type FoundCollections = Answered<typeof FoundCollections>;
