import * as z from 'zod';
import { FORECASTS } from '#shared/domain/evaluation/forecast.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { PRICE_SERIES_NAMES } from '#shared/domain/market/price-series.ts';
import { Line } from '#shared/domain/words.ts';
import { type Answered, object } from './described.ts';

/*
 * Members that answers of several functions share. Functions import the schemas of answers only as
 * types: the OpenAPI document is generated from them, and tests validate each answer against them.
 */

/** The format of times in answers: ISO 8601, UTC, with milliseconds. */
export const MomentText = z.iso.datetime({ precision: 3 });

/** The format of times, for descriptions. */
export const MOMENT = 'ISO 8601, UTC, with milliseconds';
/** The units of metrics, in words. */
export const UNITS =
  'the symbol of a currency, `usd`, `%`, `minutes`, `sales`, `owners` or `ratio`';

/** The format of exact numbers in answers: the shortest decimal text. */
export const DecimalText = z.string().regex(/^-?\d{1,40}(\.\d{1,18})?$/);

/** An entry that a page omits because another version wrote it. */
export const UnreadableEntry = object(
  'Unreadable',
  'An entry that this version of the stack cannot read.',
  {
    kind: [
      z.enum(['watchlist', 'contract', 'watch', 'channel', 'alert', 'acknowledgement', 'change']),
      'The kind of entry.',
    ],
    id: [z.string(), 'The id of the entry in URL paths.'],
    reason: [z.string(), 'The reason why the entry cannot be read.'],
  },
);

export type UnreadableEntry = Answered<typeof UnreadableEntry>;

export const UnreadableEntries = z.array(UnreadableEntry);

/** The description of `unreadable`. */
export const LEFT_OUT =
  'The entries that are omitted because this version of the stack cannot read them.';

/** The members of every page. */
export const page = {
  cursor: [z.string().nullable(), 'The `cursor` of the next request; null on the last page.'],
} as const;

/** The members of pages that may omit unreadable entries. */
export const partialPage = { ...page, unreadable: [UnreadableEntries, LEFT_OUT] } as const;

/** The members of pages that are filled by several reads. */
export const filledPage = {
  ...page,
  stoppedShort: [
    z.boolean(),
    'Whether reading stopped before the page was full. If so, continue with `cursor`.',
  ],
  unreadable: partialPage.unreadable,
} as const;

/** The members of answers about a part of a list. */
export const ofList = {
  revision: [z.int().positive(), 'The revision of the list.'],
  pendingChanges: [
    z.int().min(0),
    'The number of contracts to which this revision has not been applied yet.',
  ],
} as const;

/** A poll interval with its description. */
export const CADENCE = [
  z.int().positive(),
  'The poll interval of a contract, in minutes.',
] as const;

/** The last reported price of a series. */
export const reportedPrice = {
  series: [
    z.enum(PRICE_SERIES_NAMES),
    'The price series: the floor; the lowest sale, the volume or the number of sales of the last N days; the number of owners; or the best offer.',
  ],
  price: [
    DecimalText.nullable(),
    'The price, a decimal in `currency`; null if the provider reported none.',
  ],
  currency: [z.string().nullable(), 'The symbol of the currency, in lower case.'],
  usd: [DecimalText.nullable(), 'The price in dollars, a decimal; null if it was not reported.'],
  dataTime: [MomentText.nullable(), `The time of the price: ${MOMENT}.`],
  source: [
    z.string().nullable(),
    'The source of the price: the marketplaces of a floor, or the transaction of a sale.',
  ],
  answeredAt: [
    MomentText.nullable(),
    `The time of the last query to which the provider responded: ${MOMENT}.`,
  ],
} as const;

export const Reading = object('Reading', 'A condition and the current value of its metric.', {
  metric: [z.string(), 'The metric.'],
  condition: [z.string(), 'The condition in words.'],
  unit: [z.string(), `The unit of the value: ${UNITS}.`],
  value: [
    DecimalText.nullable(),
    'The current value of the metric, a decimal in `unit`; null if unknown.',
  ],
  beyond: [z.boolean().nullable(), 'Whether the condition holds; null if the value is unknown.'],
});

export type Reading = Answered<typeof Reading>;

export const ForecastRead = object(
  'Forecast',
  'What a rule on a contract is expected to do at the next poll, if the values stay the same.',
  {
    code: [
      z.enum(FORECASTS),
      '`fires`: the condition holds, and the rule fires at the next poll. `rests`: the condition does not hold. `waits_for_move`: a percentage meets the condition only because its window has moved; the rule fires if the price moves. `waits_for_crossing`: the condition already held when the rule started, and `arm` is `cross`, so the rule waits for a new crossing. `must_hold`: the condition has not held for long enough yet. `must_be_confirmed`: the condition has not held at enough observations yet. `firing`: the episode is open. `recovering`: the episode ends at `at`. `recovers`: the episode ends at the next poll. `first_answer`: no price has been received yet. `not_evaluated`: there is no value to compare. `paused`, `expired`, `ended`: the rule is no longer evaluated.',
    ],
    text: [z.string(), 'The forecast as a sentence.'],
    at: [
      MomentText.nullable(),
      `The time of the next timer if the value stays the same (the end of \`for\` or \`keepFor\`, a reminder, or the age limit of data): ${MOMENT}; null if there is none.`,
    ],
    conditions: [z.array(Reading), 'The conditions, each with the current value of its metric.'],
  },
);

export type ForecastRead = Answered<typeof ForecastRead>;

export const ValidationIssue = object('ValidationIssue', 'An error in one member of a request.', {
  pointer: [z.string(), 'A JSON pointer into the body, or `?` and the name of a parameter.'],
  detail: [z.string(), 'What was expected, and often what was found instead.'],
});
export type ValidationIssue = Answered<typeof ValidationIssue>;

/** A problem document from a function or from the gateway. */
export const Problem = object(
  'Problem',
  'A problem document (RFC 9457). A request with a 4xx response has changed nothing.',
  {
    type: [
      z.string(),
      'The stable identifier of the kind of problem: `urn:floorwatch:problem:<code>`.',
    ],
    title: [z.string(), 'The kind of problem in words.'],
    status: [z.int().min(400).max(599), 'The HTTP status code.'],
    detail: [z.string(), 'What went wrong in this request.'],
    errors: [
      z.array(ValidationIssue).optional(),
      'The invalid members and parameters, at most fifty.',
    ],
    message: [
      z.string().optional(),
      'A copy of `detail`, in responses of the v2.2 API and of the gateway.',
    ],
  },
);

export type Problem = Answered<typeof Problem>;

export const ofCollection = {
  name: [Line, 'The name of the collection, on one line.'],
  slug: [z.string(), 'The slug of the collection at the data provider.'],
  image: [
    z.string().nullable(),
    'The `https` URL of an image of the collection; null if there is none.',
  ],
} as const;

const FoundCollection = object('FoundCollection', 'A collection.', {
  contract: [ContractKey, 'The NFT contract of the collection, in the format of watchlists.'],
  ...ofCollection,
});

const CollectionCandidate = object('CollectionCandidate', 'A possible match.', {
  name: [z.string(), 'The name of the collection.'],
  slug: [z.string(), 'The slug of the collection at the data provider, for `query`.'],
});

export const FoundCollections = object(
  'FoundCollections',
  'Collections that the data provider found.',
  {
    collection: [
      FoundCollection.nullable(),
      'The matching collection; null if no collection or several collections match.',
    ],
    candidates: [
      z.array(CollectionCandidate),
      'The possible matches if several collections match.',
    ],
  },
);

export type FoundCollections = Answered<typeof FoundCollections>;

export const RecordedPoint = object('RecordedPoint', 'A recorded price.', {
  time: [MomentText, `The time of the price: ${MOMENT}.`],
  price: [DecimalText, 'The price, a decimal in `currency`.'],
  currency: [z.string(), reportedPrice.currency[1]],
  usd: [DecimalText.nullable(), reportedPrice.usd[1]],
  source: [z.string().nullable(), reportedPrice.source[1]],
  tradedAt: [
    MomentText.nullable(),
    `The time of the trade, if the price is a lowest sale: ${MOMENT}.`,
  ],
  outlier: [
    z.boolean(),
    'Whether the price is an outlier, which is a floor that is far from the previous floor and that the next floor did not confirm. Rules ignore outliers unless their `outliers` is `take`.',
  ],
});

export type RecordedPoint = Answered<typeof RecordedPoint>;

export const PriceSpan = object('PriceSpan', 'A period in which prices are missing or disputed.', {
  from: [MomentText, `The start of the period: ${MOMENT}.`],
  to: [MomentText.nullable(), `The end of the period: ${MOMENT}; null if it has not ended.`],
  reason: [z.string().nullable(), 'The reason in words; null if it is unknown.'],
});

export type PriceSpan = Answered<typeof PriceSpan>;

export const Prices = object('Prices', 'The recorded prices of a contract.', {
  contract: [ContractKey, 'The NFT contract.'],
  series: reportedPrice.series,
  points: [
    z.array(RecordedPoint),
    'The prices, oldest first. Each price is valid until the next one. The first price may be older than the requested period.',
  ],
  thinned: [
    z.boolean(),
    'Whether some prices are omitted: the period is then divided into equal intervals, and each keeps its first, last, lowest and highest price.',
  ],
  gaps: [z.array(PriceSpan), 'The recorded periods without prices.'],
  disputes: [
    z.array(PriceSpan),
    'The recorded periods in which the data providers contradict each other.',
  ],
});

export type Prices = Answered<typeof Prices>;
