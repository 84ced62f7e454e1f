import { entriesOf } from '#shared/domain/entries-of.ts';
import type { Operation } from './operations.ts';
import type { Provider } from './provider.ts';

/** The possible windows of a lowest sale, in days. */
export const LOOK_BACK_DAYS = [1, 7, 30, 90] as const;
type LookBackDays = (typeof LOOK_BACK_DAYS)[number];

type SaleSeries = `lowest.${LookBackDays}d`;

/** The periods of the sales count and the volume, in days. */
export const STATISTICS_DAYS = [1, 7, 30] as const;
export type StatisticsDays = (typeof STATISTICS_DAYS)[number];

/** A series that the floor answer includes. */
export type StatisticsSeries = `volume.${StatisticsDays}d` | `sales.${StatisticsDays}d` | 'owners';

/**
 * The name of a price series: one kind of value of a contract over time. Each series has its own
 * outcome and last value.
 */
export type PriceSeriesName = 'floor' | SaleSeries | StatisticsSeries | 'offer';

/** A series whose answers contain only the newest value. */
export type LatestSeries = Exclude<PriceSeriesName, 'floor'>;

/**
 * The properties of a price series. Code reads the property that it needs, and never infers one
 * property from another. A new series does not compile unless it sets every property.
 */
export type PriceSeries = Described & (LatestPrice | LowestOfDays);

type Described = {
  /** Whether providers also report the series for the tokens with certain traits. */
  readonly isOfTraits: boolean;
  /**
   * Whether an answer contains many prices, each with its own time. They are recorded in order, and
   * a backfill adds missing ones.
   */
  readonly hasPast: boolean;
  /**
   * Whether a price far from the previous one may be a glitch, until the next price or a second
   * source confirms or refutes it.
   */
  readonly hasGlitches: boolean;
  /** Whether metrics compare the price with the recorded prices of a window. */
  readonly isComparedOverSpans: boolean;
  /**
   * Providers whose floor answer includes the series. Such a series has no request of its own.
   * Undefined for a series with its own request.
   */
  readonly carriedBy: readonly Provider[] | undefined;
  /**
   * The state of the series after an answer without a price. Undefined if such an answer does not
   * change the series.
   */
  readonly none: KnownNone | undefined;
  /** The source of a price that is named in messages: the provider or the transaction. */
  readonly source: 'provider' | 'transaction';
  readonly words: {
    /** The noun for one price. */
    readonly price: string;
    /** The noun for several prices. */
    readonly prices: string;
    /** The reason why a price is disputed, as a code and as a text. */
    readonly dispute: { readonly code: string; readonly text: string };
  };
};

/** The state of a series for which the provider reported that there is no price. */
type KnownNone = {
  readonly code: 'no_sale' | 'no_offer';
  readonly text: string;
  /** A note for previews; set if times without a price are not recorded. */
  readonly notRecorded?: string;
};

/** A series whose price is valid until the next one. */
type LatestPrice = {
  /** The operation that reports the series. */
  readonly operation: Exclude<Operation, 'traits' | 'lowest'>;
  readonly lookBackDays: undefined;
};

/**
 * A series whose price is the lowest in a window of days. The price is invalid once its sale leaves
 * the window.
 */
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

/**
 * A statistic, which only the provider of the floor may report, because each provider counts
 * different sales.
 */
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
      'The preview assumes that each offer lasts until the next one, because times without an offer are not recorded.',
  },
  source: 'provider',
  lookBackDays: undefined,
  words: {
    price: 'best offer',
    prices: 'offers',
    dispute: { code: 'contradiction', text: 'the provider contradicts itself' },
  },
};

const SERIES: Readonly<Record<PriceSeriesName, PriceSeries>> = {
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

export const PRICE_SERIES_NAMES: readonly PriceSeriesName[] = entriesOf<
  PriceSeriesName,
  PriceSeries
>(SERIES).map(([name]) => name);

/** The series that the floor answer includes. */
export const STATISTICS: readonly StatisticsSeries[] = PRICE_SERIES_NAMES.filter(isStatistic);

export const LATEST_SERIES: readonly LatestSeries[] = PRICE_SERIES_NAMES.filter(
  (series) => series !== 'floor',
);

function isStatistic(series: PriceSeriesName): series is StatisticsSeries {
  return priceSeries(series).carriedBy !== undefined;
}

/** The series whose request returns the given series: the series itself, or the floor. */
export function carrierOf(series: PriceSeriesName): PriceSeriesName {
  return priceSeries(series).carriedBy === undefined ? series : 'floor';
}

/** The given series, with those whose requests return them. */
export function withCarriers(series: Iterable<PriceSeriesName>): ReadonlySet<PriceSeriesName> {
  return new Set([...series].flatMap((name) => [carrierOf(name), name]));
}

/** The properties of the series with the given name. */
export function priceSeries(series: PriceSeriesName): PriceSeries {
  return SERIES[series];
}
