import * as z from 'zod';
import type { Chain } from '#shared/domain/market/chains.ts';
import { type Decimal, ONE } from '#shared/domain/market/decimal.ts';
import { DAY, HOUR, type Instant } from '#shared/domain/market/instant.ts';
import { LOOK_BACK_DAYS, type Part } from '#shared/domain/market/point.ts';

const HUNDRED = 100n * ONE;
/** The longest age of data that a rule may wait for. */
const MINUTES_OF_A_YEAR = 525_600n * ONE;

/** The spans of data time over which a floor's moves are measured. */
const WINDOWS = { '1h': HOUR, '6h': 6 * HOUR, '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY } as const;
type WindowName = keyof typeof WINDOWS;

/**
 * A number derived from observations, by the name rules use; what looks back is reported with how
 * far.
 *
 * `silence_minutes` is for `noData` alone: how long a lowest sale could not be read.
 */
export type Metric =
  | 'floor_price'
  | 'floor_price_usd'
  | `lowest_price.${number}d`
  | `${WindowKind}.${WindowName}`
  | `sale_discount_pct.${number}d`
  | ClockMetric;

type WindowKind = 'floor_change_pct' | 'floor_drop_pct' | 'floor_drawdown_pct' | 'floor_runup_pct';

/** Metrics that the clock moves, whatever the provider says. */
export type ClockMetric = 'data_age_minutes' | `silence_minutes.${number}d`;

/** How a metric is worked out. */
export type MetricKind =
  | { readonly kind: 'floor' | 'floor_usd' | 'data_age' }
  | { readonly kind: 'change' | 'drop' | 'drawdown' | 'runup'; readonly window: number }
  | { readonly kind: 'lowest' | 'discount' | 'silence'; readonly part: Part };

const WINDOW_KINDS = {
  floor_change_pct: 'change',
  floor_drop_pct: 'drop',
  floor_drawdown_pct: 'drawdown',
  floor_runup_pct: 'runup',
} as const satisfies Record<WindowKind, MetricKind['kind']>;

const windowMetrics = entriesOf(WINDOW_KINDS).flatMap(([name, kind]) =>
  entriesOf(WINDOWS).map(([window, span]): [Metric, MetricKind] => [
    `${name}.${window}`,
    { kind, window: span },
  ]),
);
const lookBackMetrics = LOOK_BACK_DAYS.flatMap((days): [Metric, MetricKind][] => {
  const part: Part = `lowest.${days}d`;
  return [
    [`lowest_price.${days}d`, { kind: 'lowest', part }],
    [`sale_discount_pct.${days}d`, { kind: 'discount', part }],
  ];
});
const silences = LOOK_BACK_DAYS.map((days): [Metric, MetricKind] => [
  `silence_minutes.${days}d`,
  { kind: 'silence', part: `lowest.${days}d` },
]);

const forRules: ReadonlyMap<Metric, MetricKind> = new Map<Metric, MetricKind>([
  ['floor_price', { kind: 'floor' }],
  ['floor_price_usd', { kind: 'floor_usd' }],
  ...lookBackMetrics,
  ...windowMetrics,
  ['data_age_minutes', { kind: 'data_age' }],
]);
const kinds: ReadonlyMap<Metric, MetricKind> = new Map([...forRules, ...silences]);

const byName: ReadonlyMap<string, Metric> = new Map<string, Metric>([
  ...[...forRules.keys()].map((metric) => [metric, metric] as const),
  ['lowest_price', 'lowest_price.7d'],
  ['sale_discount_pct', 'sale_discount_pct.7d'],
]);
const stored: ReadonlyMap<string, Metric> = new Map(
  [...kinds.keys()].map((metric) => [metric, metric] as const),
);

/** What a rule may call its metrics. */
export const METRIC_NAMES: readonly string[] = [...byName.keys()];

/** A metric as a rule names it; `lowest_price` and `sale_discount_pct` look back seven days. */
export const Metric = named(
  byName,
  'expected floor_price, floor_price_usd, data_age_minutes, lowest_price or sale_discount_pct with ' +
    '.1d .7d .30d or .90d, or floor_change_pct, floor_drop_pct, floor_drawdown_pct or floor_runup_pct ' +
    'with .1h .6h .24h .7d or .30d',
);
/** A metric as the table names it. */
export const StoredMetric = named(stored, 'expected a metric');

/** How a metric is worked out. */
export function kindOf(metric: Metric): MetricKind {
  const kind = kinds.get(metric);
  if (kind === undefined) throw new RangeError(`${metric} is no metric`);
  return kind;
}

/** The parts of a contract that a metric is read from. */
export function partsOfMetric(metric: Metric): readonly Part[] {
  const known = kindOf(metric);
  switch (known.kind) {
    case 'lowest':
    case 'silence':
      return [known.part];
    case 'discount':
      return ['floor', known.part];
    case 'floor':
    case 'floor_usd':
    case 'data_age':
    case 'change':
    case 'drop':
    case 'drawdown':
    case 'runup':
      return ['floor'];
  }
}

/** How far a metric looks back over floors, in milliseconds; undefined for one that does not. */
export function windowOf(metric: Metric): number | undefined {
  const known = kindOf(metric);
  return 'window' in known ? known.window : undefined;
}

/** Whether a metric has no value where no sale is left in its window. */
export function readsSales(metric: Metric): boolean {
  const { kind } = kindOf(metric);
  return kind === 'lowest' || kind === 'discount';
}

/** Whether a metric is a share of a price, in percent. */
export function isPercent(metric: Metric): boolean {
  const { kind } = kindOf(metric);
  return kind === 'discount' || windowOf(metric) !== undefined;
}

/**
 * Between which numbers a threshold of a metric makes sense: a price is above zero, and none falls
 * by all of itself.
 */
export function thresholdsOf(metric: Metric): {
  readonly above?: Decimal;
  readonly below?: Decimal;
} {
  switch (kindOf(metric).kind) {
    case 'change':
      return { above: -HUNDRED };
    case 'drop':
    case 'discount':
      return { below: HUNDRED };
    case 'drawdown':
      return { above: 0n, below: HUNDRED };
    case 'floor':
    case 'floor_usd':
    case 'lowest':
    case 'runup':
      return { above: 0n };
    case 'data_age':
    case 'silence':
      return { above: 0n, below: MINUTES_OF_A_YEAR };
  }
}

/** Whether a metric moves with the clock, whatever the provider says. */
export function isClock(metric: Metric): metric is ClockMetric {
  const { kind } = kindOf(metric);
  return kind === 'data_age' || kind === 'silence';
}

/** The unit of a metric's thresholds and values: a currency, `usd`, `%` or `minutes`. */
export function unitShown(metric: Metric, unit: string): string {
  return isPercent(metric) ? '%' : unit;
}

/**
 * The unit that a metric's prices are read in where a rule names none. Lowest sales are reported in
 * ETH on every chain.
 */
export function unitOfMetric(metric: Metric, chain: Chain): string {
  return fixedUnit(metric) ?? chain.currency;
}

/** The only unit a metric can have; undefined where a rule may choose. */
export function fixedUnit(metric: Metric): string | undefined {
  switch (kindOf(metric).kind) {
    case 'floor_usd':
      return 'usd';
    case 'lowest':
    case 'discount':
      return 'eth';
    case 'data_age':
    case 'silence':
      return 'minutes';
    case 'floor':
    case 'change':
    case 'drop':
    case 'drawdown':
    case 'runup':
      return undefined;
  }
}

/** The instants, after one and up to another, at which a point leaves a window: then it slides. */
export function windowExpiriesBetween(
  window: number,
  points: readonly { readonly time: Instant }[],
  after: Instant,
  until: Instant,
): readonly Instant[] {
  return points
    .map(({ time }) => time + window)
    .filter((instant) => instant > after && instant <= until);
}

function named(names: ReadonlyMap<string, Metric>, expected: string) {
  return z.string().transform((name, context): Metric => {
    const metric = names.get(name);
    if (metric !== undefined) return metric;
    context.issues.push({ code: 'custom', input: name, message: expected });
    return z.NEVER;
  });
}

function entriesOf<Name extends string, Value>(
  record: Readonly<Record<Name, Value>>,
): [Name, Value][];
function entriesOf(record: object): [string, unknown][] {
  return Object.entries(record);
}
