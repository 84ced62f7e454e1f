import * as z from 'zod';
import { entriesOf } from '#shared/domain/entries-of.ts';
import type { Forms } from '#shared/domain/forms.ts';
import type { Chain } from '#shared/domain/market/chains.ts';
import type { Decimal } from '#shared/domain/market/decimal.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import {
  type Part,
  STATISTICS,
  STATISTICS_DAYS,
  type StatisticsPart,
} from '#shared/domain/market/price-series.ts';
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
  readonly series: StatisticsPart;
};
type Spanned<Name extends FamilyName> = (typeof FAMILIES)[Name]['over'] extends keyof Span
  ? `${Name}.${Span[(typeof FAMILIES)[Name]['over']]}`
  : Name;

/**
 * A number derived from observations, by the name rules use; what looks back is reported with how
 * far.
 */
export type Metric = { readonly [Name in FamilyName]: Spanned<Name> }[FamilyName];

/** Metrics that the clock moves, whatever the provider says. */
export type ClockMetric = {
  readonly [Name in FamilyName]: (typeof FAMILIES)[Name]['measure'] extends Clock
    ? Spanned<Name>
    : never;
}[FamilyName];

const families: ReadonlyMap<string, Family> = new Map(entriesOf<FamilyName, Family>(FAMILIES));

/** A metric of a family, with what its span stands for. */
type Member = {
  readonly name: FamilyName;
  readonly family: Family;
  /** Of a window: how long it is. */
  readonly window: number | undefined;
  readonly span: SpanValues;
};

type FamilyOver<Over extends Family['over']> = {
  readonly [Name in FamilyName]: (typeof FAMILIES)[Name]['over'] extends Over ? Name : never;
}[FamilyName];

/** The names of families that are followed by such spans. */
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

/** What a rule may call its metrics. */
export const METRIC_NAMES: readonly string[] = [...byName.keys()];

/** A metric as a rule names it; one of days looks back seven where it names none. */
export const Metric = named(
  byName,
  `expected ${namesOver('nothing').join(', ')}, ${oneOf(namesOver('days'))} with ${spansText(LOOK_BACKS)}, ${oneOf(namesOver('period'))} with ${spansText(PERIODS)}, or ${oneOf(namesOver('window'))} with ${spansText(Object.keys(WINDOWS))}`,
);
export function metricForms(): Forms {
  return [[Metric, { enum: [...METRIC_NAMES] }]];
}

/** A metric as the table names it. */
export const StoredMetric = named(stored, 'expected a metric');

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
  if (member === undefined) throw new RangeError(`${metric} is no metric`);
  return member;
}

export function familyOf(metric: Metric): Family {
  return memberOf(metric).family;
}

/** The family of what an alert calls a metric, which another version may have written. */
export function familyNamed(metric: string): Family | undefined {
  const [name = ''] = metric.split('.');
  return families.get(name);
}

/** The span of a metric in sentences: `24h`, `7 days`; nothing for one that has none. */
export function spanInWords(metric: string): string {
  const [, span = ''] = metric.split('.');
  const kind = familyNamed(metric)?.over;
  if (kind !== 'days' && kind !== 'period') return span;
  return span === '1d' ? '1 day' : `${span.replace('d', '')} days`;
}

/** The parts of a contract that a metric is read from. */
export function partsOfMetric(metric: Metric): readonly [Part, ...Part[]] {
  const { family, span } = memberOf(metric);
  return family.partsOf(span);
}

/** The part whose price stands behind a metric, in messages. */
export function partBehind(metric: Metric): Part {
  return partsOfMetric(metric)[0];
}

/** How far a metric looks back over floors, in milliseconds; undefined for one that does not. */
export function windowOf(metric: Metric): number | undefined {
  return memberOf(metric).window;
}

/** Whether a metric has no value where no sale is left in its window. */
export function readsSales(metric: Metric): boolean {
  return familyOf(metric).readsSales;
}

/** Whether a metric is a share of a price, in percent. */
export function isPercent(metric: Metric): boolean {
  return familyOf(metric).isPercent;
}

/** Between which numbers a threshold of a metric makes sense. */
export function thresholdsOf(metric: Metric): Family['thresholds'] {
  return familyOf(metric).thresholds;
}

/** Whether a threshold of a metric makes sense. */
export function isThreshold(metric: Metric, value: Decimal): boolean {
  const { above, below } = thresholdsOf(metric);
  return (above === undefined || value > above) && (below === undefined || value < below);
}

/** Whether a metric moves with the clock, whatever the provider says. */
export function isClock(metric: Metric): metric is ClockMetric {
  return clockOf(metric) !== undefined;
}

/** How a metric moves with the clock; undefined for one that does not. */
export function clockOf(metric: string): Clock | undefined {
  const measure = familyNamed(metric)?.measure;
  return typeof measure === 'object' ? measure : undefined;
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
  const { unit } = familyOf(metric);
  return unit === 'any' || typeof unit === 'object' ? undefined : unit;
}

/** The names of families that rules may name and of which something holds, as the document has them. */
export function familiesWith(holds: (family: Family) => boolean): readonly RuleFamilyName[] {
  return entriesOf<FamilyName, Family>(FAMILIES).flatMap(([name, family]) =>
    isForRules(name) && holds(family) ? [name] : [],
  );
}

function isForRules(name: FamilyName): name is RuleFamilyName {
  const family: Family = FAMILIES[name];
  return family.isInternal !== true;
}

/** The metrics of a family that rules may name, each with one of its spans. */
export function metricsOf(name: FamilyName): readonly Metric[] {
  return forRules.flatMap(([metric, member]) => (member.name === name ? [metric] : []));
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
