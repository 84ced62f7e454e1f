import * as z from 'zod';
import { entriesOf } from '#shared/domain/entries-of.ts';
import type { Forms } from '#shared/domain/forms.ts';
import type { Chain } from '#shared/domain/market/chains.ts';
import type { Decimal } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import {
  type PriceSeriesName,
  STATISTICS,
  STATISTICS_DAYS,
  type StatisticsSeries,
} from '#shared/domain/market/price-series.ts';
import { nearestOf } from '#shared/domain/nearest.ts';
import { FAMILIES } from './families.ts';
import {
  type Clock,
  type Family,
  LOOK_BACKS,
  PERIODS,
  type SpanValues,
  WINDOWS,
} from './family.ts';

export type FamilyName = keyof typeof FAMILIES;
/** The families that rules may name. */
export type RuleFamilyName = {
  readonly [Name in FamilyName]: (typeof FAMILIES)[Name] extends { readonly isInternal: true }
    ? never
    : Name;
}[FamilyName];
type Span = {
  readonly window: keyof typeof WINDOWS;
  readonly days: `${number}d`;
  readonly period: (typeof PERIODS)[number];
  readonly series: StatisticsSeries;
};
type Spanned<Name extends FamilyName> = (typeof FAMILIES)[Name]['over'] extends keyof Span
  ? `${Name}.${Span[(typeof FAMILIES)[Name]['over']]}`
  : Name;

/** A metric by its full name, with its span: `floor_change_pct.24h`. */
export type Metric = { readonly [Name in FamilyName]: Spanned<Name> }[FamilyName];

/** Metrics that change with the clock, without new data. */
export type ClockMetric = {
  readonly [Name in FamilyName]: (typeof FAMILIES)[Name]['measure'] extends Clock
    ? Spanned<Name>
    : never;
}[FamilyName];

const families: ReadonlyMap<string, Family> = new Map(entriesOf<FamilyName, Family>(FAMILIES));

/** A metric of a family, with the values of its span. */
type Member = {
  readonly name: FamilyName;
  readonly family: Family;
  /** The length of the window in milliseconds, for metrics with a window. */
  readonly window: number | undefined;
  readonly span: SpanValues;
};

type FamilyOver<Over extends Family['over']> = {
  readonly [Name in FamilyName]: (typeof FAMILIES)[Name]['over'] extends Over ? Name : never;
}[FamilyName];

/** The names of the families whose metrics have the given kind of span. */
function over<Over extends Family['over']>(kind: Over): readonly FamilyOver<Over>[] {
  const isOver = (name: FamilyName): name is FamilyOver<Over> => FAMILIES[name].over === kind;
  return entriesOf<FamilyName, Family>(FAMILIES)
    .map(([name]) => name)
    .filter(isOver);
}

function member(name: FamilyName, span: Partial<SpanValues> = {}, window?: number): Member {
  const values = { sales: 'lowest.7d', period: 1, series: 'owners', ...span } as const;
  return { name, family: FAMILIES[name], window, span: values };
}

const members: ReadonlyMap<Metric, Member> = new Map<Metric, Member>([
  ...over('nothing').map((name): [Metric, Member] => [name, member(name)]),
  ...over('days').flatMap((name) =>
    LOOK_BACKS.map((days): [Metric, Member] => [
      `${name}.${days}`,
      member(name, { sales: `lowest.${days}` }),
    ]),
  ),
  ...over('window').flatMap((name) =>
    entriesOf(WINDOWS).map(([span, window]): [Metric, Member] => [
      `${name}.${span}`,
      member(name, {}, window),
    ]),
  ),
  ...over('period').flatMap((name) =>
    STATISTICS_DAYS.map((period): [Metric, Member] => [
      `${name}.${period}d`,
      member(name, { period }),
    ]),
  ),
  ...over('series').flatMap((name) =>
    STATISTICS.map((series): [Metric, Member] => [`${name}.${series}`, member(name, { series })]),
  ),
]);

const forRules = [...members].filter(([, { family }]) => family.isInternal !== true);

const byName: ReadonlyMap<string, Metric> = new Map<string, Metric>([
  ...forRules.map(([metric]) => [metric, metric] as const),
  ...forRules.flatMap(([metric, { name, family, span }]) =>
    family.over === 'days' && span.sales === 'lowest.7d' ? [[name, metric] as const] : [],
  ),
]);
const stored: ReadonlyMap<string, Metric> = new Map(
  [...members.keys()].map((metric) => [metric, metric] as const),
);

/** The metric names that a rule may contain. */
export const METRIC_NAMES: readonly string[] = [...byName.keys()];

/**
 * The name of a metric in a rule. A metric of lowest sales without a number of days is converted to
 * the metric for 7 days.
 */
export const Metric = named(byName, (name) => {
  const meant = meantBy(name);
  if (meant !== undefined) return `unknown metric; did you mean "${meant}"?`;
  return `expected ${namesOver('nothing').join(', ')}, ${oneOf(namesOver('days'))} with ${spansText(LOOK_BACKS)}, ${oneOf(namesOver('period'))} with ${spansText(PERIODS)}, or ${oneOf(namesOver('window'))} with ${spansText(Object.keys(WINDOWS))}`;
});

/** The metric that an unknown name probably means. A missing window becomes the shortest one. */
function meantBy(name: string): string | undefined {
  const names = [...byName.keys()];
  const written = name.toLowerCase().replaceAll(/[\s-]/g, '_');
  return nearestOf(written, names) ?? names.find((known) => known.startsWith(`${written}.`));
}

export function metricForms(): Forms {
  return [[Metric, { enum: [...METRIC_NAMES] }]];
}

/** The name of a metric in the table. */
export const StoredMetric = named(stored, () => 'expected a metric');

function namesOver(over: Family['over']): readonly string[] {
  return familiesWith((family) => family.over === over);
}

/** `a, b or c`. */
function oneOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

function spansText(spans: readonly string[]): string {
  const dotted = spans.map((span) => `.${span}`);
  return `${dotted.slice(0, -1).join(' ')} or ${dotted.at(-1)}`;
}

function memberOf(metric: Metric): Member {
  const member = members.get(metric);
  if (member === undefined) throw new RangeError(`${metric} is not a metric`);
  return member;
}

export function familyOf(metric: Metric): Family {
  return memberOf(metric).family;
}

/** The family of the metric in an alert. Undefined if another version wrote an unknown name. */
export function familyNamed(metric: string): Family | undefined {
  const [name = ''] = metric.split('.');
  return families.get(name);
}

/** The span of a metric in sentences: `24h`, `7 days`. Empty for a metric without a span. */
export function spanInWords(metric: string): string {
  const [, span = ''] = metric.split('.');
  const kind = familyNamed(metric)?.over;
  if (kind !== 'days' && kind !== 'period') return span;
  return span === '1d' ? '1 day' : `${span.replace('d', '')} days`;
}

/** The price series from which a metric is computed. */
export function seriesOfMetric(metric: Metric): readonly [PriceSeriesName, ...PriceSeriesName[]] {
  const { family, span } = memberOf(metric);
  return family.seriesOf(span);
}

/** The price series whose price a message shows for a metric. */
export function shownSeries(metric: Metric): PriceSeriesName {
  return seriesOfMetric(metric)[0];
}

/** The length of a metric's window of floors in milliseconds; undefined for other metrics. */
export function windowOf(metric: Metric): number | undefined {
  return memberOf(metric).window;
}

/** Whether a metric changes continuously between two prices. */
export function isContinuous(metric: Metric): boolean {
  const family = familyOf(metric);
  return family.over === 'window' && family.isContinuous === true;
}

/** Whether a metric needs a sale: without one in its window it has no value. */
export function readsSales(metric: Metric): boolean {
  return familyOf(metric).readsSales;
}

/** Whether the watches of a metric need the cost of the contract. */
export function needsCost(metric: Metric): boolean {
  return familyOf(metric).held !== undefined;
}

/** Whether the values of a metric are written with their sign. */
export function isSigned(metric: string): boolean {
  return familyNamed(metric)?.signed ?? false;
}

/** Whether the values of a metric are percentages of a price. */
export function isPercent(metric: Metric): boolean {
  return familyOf(metric).isPercent;
}

/** Exclusive bounds of useful thresholds of a metric. */
export function thresholdsOf(metric: Metric): Family['thresholds'] {
  return familyOf(metric).thresholds;
}

/** Whether a threshold is within the bounds of its metric. */
export function isThreshold(metric: Metric, value: Decimal): boolean {
  const { above, below } = thresholdsOf(metric);
  return (above === undefined || value > above) && (below === undefined || value < below);
}

/** Whether a metric changes with the clock, without new data. */
export function isClock(metric: Metric): metric is ClockMetric {
  return clockOf(metric) !== undefined;
}

/** The clock of a metric; undefined for metrics that do not change with the clock. */
export function clockOf(metric: string): Clock | undefined {
  const measure = familyNamed(metric)?.measure;
  return typeof measure === 'object' ? measure : undefined;
}

/**
 * The unit of thresholds and values in messages: `%` for percentages, else the unit of the rule.
 */
export function unitShown(metric: Metric, unit: string): string {
  return isPercent(metric) ? '%' : unit;
}

/**
 * The default unit of a metric's prices. Providers report lowest sales in ETH on every chain.
 */
export function unitOfMetric(metric: Metric, chain: Chain): string {
  return fixedUnit(metric) ?? chain.currency;
}

/** The only unit of a metric; undefined if the rule or the holding determines the unit. */
export function fixedUnit(metric: Metric): string | undefined {
  const { unit } = familyOf(metric);
  return unit === 'any' || unit === 'cost' || typeof unit === 'object' ? undefined : unit;
}

/**
 * The names of the families that rules may name and for which a predicate is true, in the order of
 * the OpenAPI document.
 */
export function familiesWith(holds: (family: Family) => boolean): readonly RuleFamilyName[] {
  return entriesOf<FamilyName, Family>(FAMILIES).flatMap(([name, family]) =>
    isForRules(name) && holds(family) ? [name] : [],
  );
}

function isForRules(name: FamilyName): name is RuleFamilyName {
  const family: Family = FAMILIES[name];
  return family.isInternal !== true;
}

/** The metrics of a family that rules may name, one for each span. */
export function metricsOf(name: FamilyName): readonly Metric[] {
  return forRules.flatMap(([metric, member]) => (member.name === name ? [metric] : []));
}

/**
 * The moments after `after`, up to and including `until`, at which a point leaves the sliding
 * window.
 */
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

function named(names: ReadonlyMap<string, Metric>, expected: (name: string) => string) {
  return z.string().transform((name, context): Metric => {
    const metric = names.get(name);
    if (metric !== undefined) return metric;
    context.issues.push({ code: 'custom', input: name, message: expected(name) });
    return z.NEVER;
  });
}
