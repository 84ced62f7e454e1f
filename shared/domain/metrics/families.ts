import { type Decimal, ONE } from '#shared/domain/market/decimal.ts';
import { DAY, HOUR, type Instant } from '#shared/domain/market/instant.ts';
import { LOOK_BACK_DAYS, type Part, type Point } from '#shared/domain/market/point.ts';
import { change, discount, excursion, type Measure, negated, priceIn, sale } from './prices.ts';

/** The spans of data time over which a floor's moves are measured. */
export const WINDOWS = {
  ...{ '1h': HOUR, '6h': 6 * HOUR, '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY },
} as const;
/** How far a lowest sale looks back. */
export const LOOK_BACKS = LOOK_BACK_DAYS.map((days) => `${days}d` as const);

/** What a metric is measured from. */
type Asked = {
  readonly floors: readonly Point[];
  /** The newest known lowest sale of the metric's days. */
  readonly sale: Point | undefined;
  /** The currency that prices are read in. */
  readonly unit: string;
  /** The price under which a sale is ignored, or a hundredth of the floor. */
  readonly ignoreBelow: Decimal | 'hundredth';
  /** When the metric's window began. */
  readonly start: Instant;
};

/** Metrics of one name, each with one of the spans that may follow it. */
export type Family = Meaning & Span;

/** What follows the name: a window of data time, the days that a lowest sale looks back. */
type Span =
  | { readonly over: 'window'; readonly basis: Basis }
  | { readonly over: 'days' | 'nothing'; readonly basis?: Basis };

/**
 * The prices that a value is worked out of, in a sentence; `span` as in its name. A value of a window
 * is no price of its own, so its messages need the sentence.
 */
type Basis = (price: string, reference: string, span: string) => string;

type Meaning = {
  /** Whether it is for `noData` alone, and no rule may name it. */
  readonly isInternal?: true;
  /** The parts of a contract that it is read from; `sales` is the one of its days. */
  readonly partsOf: (sales: Part) => readonly Part[];
  /** Which price stands behind it in messages. */
  readonly behind: 'floor' | 'sale';
  /** Between which numbers a threshold makes sense: no price falls by all of itself. */
  readonly thresholds: { readonly above?: Decimal; readonly below?: Decimal };
  /** The only unit of its prices; undefined where a rule may choose. */
  readonly unit: 'usd' | 'eth' | 'minutes' | undefined;
  /** Whether it is a share of a price, in percent. */
  readonly isPercent: boolean;
  /** Whether it has no value where no sale is left. */
  readonly readsSales: boolean;
  /** `by_clock` for one that moves with the clock, whatever the provider says. */
  readonly measure: ((asked: Asked) => Measure) | 'by_clock';
  /** Its name in a sentence; `span` is `24h` for a window, `7 days` for days. */
  readonly named: (span: string) => string;
  /** Whether a rise is written with its sign. */
  readonly isSigned: boolean;
  /** For the OpenAPI document. */
  readonly described: string;
};

const HUNDRED = 100n * ONE;
/** The longest age of data that a rule may wait for. */
const MINUTES_OF_A_YEAR = 525_600n * ONE;

const ofFloor = {
  partsOf: (): readonly Part[] => ['floor'],
  behind: 'floor',
  unit: undefined,
  isPercent: false,
  readsSales: false,
  isSigned: false,
} as const;
const ofSales = { ...ofFloor, over: 'days', readsSales: true, unit: 'eth' } as const;
const ofMoves = { ...ofFloor, over: 'window', isPercent: true } as const;

/**
 * All metrics, by the names that rules use. A value is what was known at a moment: a price holds
 * from its time until the next.
 */
export const FAMILIES = {
  floor_price: {
    ...ofFloor,
    over: 'nothing',
    thresholds: { above: 0n },
    measure: ({ unit, floors }) => priceIn(unit, floors.at(-1)),
    named: () => 'floor price',
    described: '`floor_price`: the newest floor, in the currency of the chain.',
  },
  floor_price_usd: {
    ...ofFloor,
    over: 'nothing',
    unit: 'usd',
    thresholds: { above: 0n },
    measure: ({ unit, floors }) => priceIn(unit, floors.at(-1)),
    named: () => 'floor price',
    described: '`floor_price_usd`: the newest floor, in dollars.',
  },
  data_age_minutes: {
    ...ofFloor,
    over: 'nothing',
    unit: 'minutes',
    thresholds: { above: 0n, below: MINUTES_OF_A_YEAR },
    measure: 'by_clock',
    named: () => 'age of the floor price',
    described: '`data_age_minutes`: the age of the newest floor, by the clock; with `above` only.',
  },
  lowest_price: {
    ...ofSales,
    behind: 'sale',
    partsOf: (sales) => [sales],
    thresholds: { above: 0n },
    measure: ({ unit, sale: lowest, ignoreBelow }) => sale(priceIn(unit, lowest), ignoreBelow),
    named: (days) => `lowest sale of ${days}`,
    described:
      '`lowest_price.<N>d`: the lowest sale of the last N days, in ETH; seven days if N is left out.',
  },
  sale_discount_pct: {
    ...ofSales,
    isPercent: true,
    partsOf: (sales) => ['floor', sales],
    thresholds: { below: HUNDRED },
    measure: ({ unit, floors, sale: lowest, ignoreBelow }) => {
      const floor = priceIn(unit, floors.at(-1));
      return discount(floor, sale(priceIn(unit, lowest), ignoreBelow, floor));
    },
    named: (days) => `discount of the lowest sale of ${days}`,
    basis: (price, reference) => `Lowest sale: ${price}; floor price: ${reference}`,
    described:
      '`sale_discount_pct.<N>d`: how far the lowest sale is under the floor, in percent; seven days if N is left out.',
  },
  floor_change_pct: {
    ...ofMoves,
    isSigned: true,
    thresholds: { above: -HUNDRED },
    measure: ({ unit, floors, start }) => change(unit, floors, start),
    named: (window) => `floor price change in ${window}`,
    basis: (price, before, window) => `Floor price: ${price}; ${window} before: ${before}`,
    described:
      '`floor_change_pct.<window>`: the change of the floor since the beginning of the window, in percent with its sign. There is no value without a floor from that time, or with a gap since.',
  },
  floor_drop_pct: {
    ...ofMoves,
    thresholds: { below: HUNDRED },
    measure: ({ unit, floors, start }) => negated(change(unit, floors, start)),
    named: (window) => `floor price drop in ${window}`,
    basis: (price, before, window) => `Floor price: ${price}; ${window} before: ${before}`,
    described: '`floor_drop_pct.<window>`: the same, with a fall as a positive number.',
  },
  floor_drawdown_pct: {
    ...ofMoves,
    thresholds: { above: 0n, below: HUNDRED },
    measure: ({ unit, floors, start }) => excursion('drawdown', unit, floors, start),
    named: (window) => `floor price drawdown in ${window}`,
    basis: (price, highest, window) => `Floor price: ${price}; highest of ${window}: ${highest}`,
    described:
      '`floor_drawdown_pct.<window>`: how far the floor is under the highest of a window, in percent. If less than the window is known, the highest known floor counts.',
  },
  floor_runup_pct: {
    ...ofMoves,
    thresholds: { above: 0n },
    measure: ({ unit, floors, start }) => excursion('runup', unit, floors, start),
    named: (window) => `floor price run-up in ${window}`,
    basis: (price, lowest, window) => `Floor price: ${price}; lowest of ${window}: ${lowest}`,
    described:
      '`floor_runup_pct.<window>`: how far the floor is over the lowest of a window, in percent.',
  },
  silence_minutes: {
    ...ofFloor,
    over: 'days',
    isInternal: true,
    behind: 'sale',
    unit: 'minutes',
    partsOf: (sales) => [sales],
    thresholds: { above: 0n, below: MINUTES_OF_A_YEAR },
    measure: 'by_clock',
    named: () => 'silence about lowest sales',
    described: '`silence_minutes.<N>d`: how long a lowest sale could not be read.',
  },
} as const satisfies Readonly<Record<string, Family>>;
