import { amount, type RuleDocument, span } from '#test/simulation/invariants/documents.ts';
import type { PriceSeriesName } from './points.ts';
import { type Held, isGain, isPercentage, type OracleClause, type OracleRule } from './rule.ts';

type ClauseDocument = NonNullable<RuleDocument['all']>[number];

const FAMILIES = {
  floor_price: ['floor'],
  floor_price_usd: ['floor'],
  lowest_price: ['sales'],
  sale_discount_pct: ['floor', 'sales'],
  floor_change_pct: ['floor'],
  floor_drop_pct: ['floor'],
  floor_drawdown_pct: ['floor'],
  floor_runup_pct: ['floor'],
  floor_vs_average_pct: ['floor'],
  data_age_minutes: ['floor'],
  silence_minutes: ['sales'],
  volume: ['volume'],
  sales: ['count'],
  average_price: ['volume', 'count'],
  owners: ['owners'],
  statistics_silence_minutes: ['statistic'],
  best_offer: ['offer'],
  spread_pct: ['floor', 'offer'],
  gain_pct: ['floor'],
  gain: ['floor'],
  offers_silence_minutes: ['offer'],
  floor_ratio: ['floor'],
  relative_change_pct: ['floor'],
  list_value: ['floor'],
  list_change_pct: ['floor'],
} as const satisfies Record<OracleClause['family'], readonly Source[]>;

type Source = 'floor' | 'sales' | 'volume' | 'count' | 'owners' | 'statistic' | 'offer';

const HOUR = 3_600_000;
const ONE_MINUTE = 60_000n;

/** Reads a rule from the document of its list, for a contract with or without a holding. */
export function readRule(document: RuleDocument, held?: Held): OracleRule {
  const [first = {}, ...others] = document.all ?? [document];
  const read = (clause: ClauseDocument) => readClause(clause, held);
  const clauses = [read(first), ...others.map(read)] as const;
  const { repeat, recover, confirm, arm, steps, noData } = document;
  return {
    clauses,
    series: [...new Set(clauses.flatMap(({ series }) => series))],
    floorSeries: floorSeriesOf(document),
    recover: amount(recover),
    for: span(document.for) ?? 0,
    keepFor: span(document.keepFor) ?? usualKeepFor(clauses),
    confirm,
    arm: arm === 'cross' ? 'cross' : 'level',
    once: repeat === 'once',
    reminder: typeof repeat === 'string' ? undefined : span(repeat.reminder),
    steps: amount(steps),
    notifyRecovery: document.notifyRecovery,
    reportsMissingValue: noData === 'keep',
    expiresAt: readMoment(document.expiresAt),
  };
}

/** Reads the rule of the no-data watch that `noData` creates for a price series. */
export function readNoDataRule(document: RuleDocument, series: PriceSeriesName): OracleRule {
  const { noData, notifyRecovery, expiresAt } = document;
  const gracePeriod = noData === 'keep' ? undefined : span(noData.alert);
  const metric = clockMetricOf(series);
  const threshold = (BigInt(gracePeriod ?? 0) * 10n ** 18n) / ONE_MINUTE;
  return {
    clauses: [{ ...readClause({ metric, when: 'above' }), threshold }],
    series: [series],
    floorSeries: 'reported',
    recover: undefined,
    for: 0,
    keepFor: 0,
    confirm: undefined,
    arm: 'level',
    once: false,
    reminder: undefined,
    steps: undefined,
    notifyRecovery,
    reportsMissingValue: false,
    expiresAt: readMoment(expiresAt),
  };
}

function readClause(document: ClauseDocument, held?: Held): OracleClause {
  const { metric = '', when = '', threshold, low, high, unit = 'eth', ignoreBelow } = document;
  const [family = '', ...spans] = metric.split('.');
  const span = spans.join('.');
  if (!isFamily(family)) throw new RangeError(`the oracle has no metric ${metric}`);
  if (!isWhen(when)) throw new RangeError(`the oracle has no condition ${when}`);
  const sources: readonly Source[] = FAMILIES[family];
  const clause = {
    ...{ metric, family, when },
    series: sources.map((source) => partOf(source, span)),
    window: sources.every((source) => source === 'floor') ? windowLength(span) : 0,
    ...(isGain(family)
      ? { held, unit: held?.unit ?? unit }
      : { unit: FIXED_UNITS[family] ?? unit }),
    threshold: amount(threshold) ?? 0n,
    low: amount(low) ?? 0n,
    high: amount(high) ?? 0n,
  };
  return { ...clause, ignoreBelow: amount(ignoreBelow) ?? usuallyIgnored(clause) };
}

/**
 * The default of `ignoreBelow`: a hundredth of the lower threshold, or of the floor for a discount.
 */
function usuallyIgnored({
  family,
  when,
  threshold,
  low,
}: Pick<OracleClause, 'family' | 'when' | 'threshold' | 'low'>): OracleClause['ignoreBelow'] {
  if (family === 'sale_discount_pct') return 'a hundredth of the floor';
  return (when === 'inside' || when === 'outside' ? low : threshold) / 100n;
}

/** `minSources` takes precedence over `outliers`, because a confirmed floor is not an outlier. */
function floorSeriesOf({ minSources, outliers }: RuleDocument): OracleRule['floorSeries'] {
  if (minSources === 2) return 'agreed';
  return outliers === 'take' ? 'reported' : 'floor';
}

/**
 * The default of `keepFor`: an hour for percentages, which fluctuate around their threshold, but 0
 * for `crosses`.
 */
function usualKeepFor(clauses: OracleRule['clauses']): number {
  const [{ when }] = clauses;
  return when !== 'crosses' && clauses.some(isPercentage) ? HOUR : 0;
}

function windowLength(text: string): number {
  return text === '' ? 0 : (span(text) ?? 0);
}

function days(span: string): number {
  return Number.parseInt(span, 10);
}

/** Units of the metrics that have only one unit. */
const FIXED_UNITS: { readonly [Family in OracleClause['family']]?: string } = {
  floor_price_usd: 'usd',
  sales: 'sales',
  owners: 'owners',
  floor_ratio: 'ratio',
  relative_change_pct: 'ratio',
};

function partOf(source: Source, span: string): PriceSeriesName {
  switch (source) {
    case 'sales':
      return `lowest.${days(span)}d`;
    case 'volume':
      return `volume.${days(span)}d`;
    case 'count':
      return `sales.${days(span)}d`;
    case 'statistic':
      return span as PriceSeriesName;
    case 'floor':
    case 'owners':
    case 'offer':
      return source;
  }
}

/** The metric of the no-data watch of a price series. */
function clockMetricOf(series: PriceSeriesName): string {
  if (series === 'floor') return 'data_age_minutes';
  if (series.startsWith('lowest')) return series.replace('lowest', 'silence_minutes');
  if (series === 'offer') return 'offers_silence_minutes';
  return `statistics_silence_minutes.${series}`;
}

function readMoment(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

function isFamily(name: string): name is OracleClause['family'] {
  return Object.hasOwn(FAMILIES, name);
}

const WHENS: readonly string[] = ['below', 'above', 'outside', 'inside', 'crosses'];

function isWhen(name: string): name is OracleClause['when'] {
  return WHENS.includes(name);
}
