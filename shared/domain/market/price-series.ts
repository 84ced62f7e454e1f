import { entriesOf } from '#shared/domain/entries-of.ts';
import type { Operation } from './operations.ts';
import type { Provider } from './provider.ts';

/** The days that a lowest sale may look back. */
export const LOOK_BACK_DAYS = [1, 7, 30, 90] as const;
type LookBackDays = (typeof LOOK_BACK_DAYS)[number];

type SalePart = `lowest.${LookBackDays}d`;

/** The days over which providers count sales and add up their volume. */
export const STATISTICS_DAYS = [1, 7, 30] as const;
export type StatisticsDays = (typeof STATISTICS_DAYS)[number];

/** A series that comes with the answer about the floor. */
export type StatisticsPart = `volume.${StatisticsDays}d` | `sales.${StatisticsDays}d` | 'owners';

/** A series of values of a contract, by its name: each has its own outcome and last value. */
export type Part = 'floor' | SalePart | StatisticsPart | 'offer';

/** A series of which an answer reports the newest value alone. */
export type LatestPart = Exclude<Part, 'floor'>;

/**
 * All that distinguishes a price series. Code asks for the member that it means, and never infers one
 * member from another. A new series does not compile without each of them.
 */
export type PriceSeries = Described & (LatestPrice | LowestOfDays);

type Described = {
  /** Whether providers report it for the tokens of a collection that have some traits. */
  readonly isOfTraits: boolean;
  /**
   * Whether an answer holds many prices, each at its own time: they are recorded in order, and missing
   * ones are filled.
   */
  readonly hasPast: boolean;
  /** Whether a far price may be a glitch, which the next price or a second source decides. */
  readonly hasGlitches: boolean;
  /** Whether metrics compare it with its recorded prices of a span. */
  readonly isComparedOverSpans: boolean;
  /**
   * Providers whose floor answer includes the series. Such a series has no request of its own.
   * Undefined for a series with its own request.
   */
  readonly carriedBy: readonly Provider[] | undefined;
  /**
   * The state that an answer without a price brings; undefined where such an answer changes nothing.
   */
  readonly none: KnownNone | undefined;
  /** The source of a price in messages: its provider, or its transaction. */
  readonly source: 'provider' | 'transaction';
  readonly words: {
    /** One price, and several. */
    readonly price: string;
    readonly prices: string;
    /** Why a price is disputed, as a code and in words. */
    readonly dispute: { readonly code: string; readonly text: string };
  };
};

/** A state in which a series is known to have no price. */
type KnownNone = {
  readonly code: 'no_sale' | 'no_offer';
  readonly text: string;
  /** Where such times are not recorded, the limit of a replay of recorded prices. */
  readonly notRecorded?: string;
};

/** A series whose price holds until the next one. */
type LatestPrice = {
  /** The operation that reports the series. */
  readonly operation: Exclude<Operation, 'traits' | 'lowest'>;
  readonly lookBackDays: undefined;
};

/** A series whose price is the lowest of some days, and leaves it after them. */
type LowestOfDays = { readonly operation: 'lowest'; readonly lookBackDays: LookBackDays };

const FLOOR: PriceSeries = {
  operation: 'floor',
  isOfTraits: true,
  hasPast: true,
  hasGlitches: true,
  isComparedOverSpans: true,
  carriedBy: undefined,
  none: undefined,
  source: 'provider',
  lookBackDays: undefined,
  words: {
    price: 'floor price',
    prices: 'floors',
    dispute: { code: 'disagreement', text: 'the providers disagree' },
  },
};

function lowestSale(days: LookBackDays): PriceSeries {
  return {
    operation: 'lowest',
    isOfTraits: false,
    hasPast: false,
    hasGlitches: false,
    isComparedOverSpans: false,
    carriedBy: undefined,
    none: { code: 'no_sale', text: `no sale in the last ${days === 1 ? 'day' : `${days} days`}` },
    source: 'transaction',
    lookBackDays: days,
    words: {
      price: 'lowest sale',
      prices: 'sales',
      dispute: { code: 'contradiction', text: 'the provider contradicts itself' },
    },
  };
}

/** Counted by the provider that reports the floor: no other provider counts the same sales. */
function statistic(value: string): PriceSeries {
  return {
    operation: 'floor',
    isOfTraits: false,
    hasPast: false,
    hasGlitches: false,
    isComparedOverSpans: false,
    carriedBy: ['opensea'],
    none: undefined,
    source: 'provider',
    lookBackDays: undefined,
    words: {
      price: value,
      prices: 'statistics',
      dispute: { code: 'contradiction', text: 'the provider contradicts itself' },
    },
  };
}

const OFFER: PriceSeries = {
  operation: 'offers',
  isOfTraits: false,
  hasPast: false,
  hasGlitches: false,
  isComparedOverSpans: false,
  carriedBy: undefined,
  none: {
    code: 'no_offer',
    text: 'no collection offer in ETH or the currency of the chain',
    notRecorded:
      'Times without an offer are not recorded: the replay takes the last offer until the next one.',
  },
  source: 'provider',
  lookBackDays: undefined,
  words: {
    price: 'best offer',
    prices: 'offers',
    dispute: { code: 'contradiction', text: 'the provider contradicts itself' },
  },
};

const SERIES: Readonly<Record<Part, PriceSeries>> = {
  floor: FLOOR,
  'lowest.1d': lowestSale(1),
  'lowest.7d': lowestSale(7),
  'lowest.30d': lowestSale(30),
  'lowest.90d': lowestSale(90),
  'volume.1d': statistic('volume'),
  'volume.7d': statistic('volume'),
  'volume.30d': statistic('volume'),
  'sales.1d': statistic('number of sales'),
  'sales.7d': statistic('number of sales'),
  'sales.30d': statistic('number of sales'),
  owners: statistic('number of owners'),
  offer: OFFER,
};

export const PARTS: readonly Part[] = entriesOf<Part, PriceSeries>(SERIES).map(([name]) => name);

/** The series that come with the answer about the floor. */
export const STATISTICS: readonly StatisticsPart[] = PARTS.filter(isStatistic);

export const LATEST_PARTS: readonly LatestPart[] = PARTS.filter((part) => part !== 'floor');

function isStatistic(part: Part): part is StatisticsPart {
  return seriesOf(part).carriedBy !== undefined;
}

/** The series whose request returns a series: itself, or the floor. */
export function carrierOf(part: Part): Part {
  return seriesOf(part).carriedBy === undefined ? part : 'floor';
}

/** Series together with the series whose requests return them. */
export function withCarriers(parts: Iterable<Part>): ReadonlySet<Part> {
  return new Set([...parts].flatMap((part) => [carrierOf(part), part]));
}

/** The series of a name. */
export function seriesOf(part: Part): PriceSeries {
  return SERIES[part];
}
