import type * as z from 'zod';
import { DAY, type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import {
  familyOf,
  isPercent,
  type Metric,
  needsCost,
  readsSales,
  seriesOfMetric,
  windowOf,
} from '#shared/domain/metrics/metric.ts';
import type { AlertRule } from '#shared/domain/rules/alert-rule.ts';
import { RATE, ROUND_TENTHS, USUAL_FLOOR } from '#test/simulation/services/market.ts';
import type { Stream } from '#test/simulation/services/streams.ts';
import { isThresholdOf, metricsWithin, usualOf } from '#test/support/rule-metrics.ts';

/** A rule as people write it. */
export type RuleBody = z.input<typeof AlertRule>;

/** Random decisions of people. Rules may end right after one of the `floorTimes`. */
export type Workload = Stream & { readonly floorTimes: readonly Instant[] };

type ClauseBody = Pick<RuleBody, 'metric' | 'when' | 'threshold' | 'low' | 'high' | 'ignoreBelow'>;

/** Windows of at most a day, because the market has one day of history before its first watch. */
const SERIES = ['floor', 'lowest.1d', 'volume.1d', 'sales.1d', 'owners', 'offer'] as const;
const METRICS = metricsWithin(DAY, SERIES);
const isOfOnePrice = (metric: Metric) => !isPercent(metric) && windowOf(metric) === undefined;
const OF_ONE_PRICE = METRICS.flat().filter(isOfOnePrice);
/**
 * Metrics that can equal a round price, the threshold of many rules. Gains cannot: they vary around
 * zero.
 */
const AT_LINES = OF_ONE_PRICE.filter((metric) => !needsCost(metric));
const OF_MORE = METRICS.filter((family) => !family.every(isOfOnePrice));

/** Draws a rule of any kind, on prices or on the age of data. */
export function newRule(id: string, canary: string, workload: Workload, now: Instant): RuleBody {
  const end = endOf(workload, now + workload.between(4, 60) * MINUTE);
  const body = workload.pick(KINDS)(workload);
  return {
    id,
    label: `${canary} ${id}`,
    ...body,
    ...(readsFloors(body) && workload.happens(0.2) ? { outliers: 'take' as const } : {}),
    ...(readsFloors(body) && workload.happens(0.15) ? { minSources: 2 as const } : {}),
    severity: workload.pick(['info', 'warning', 'critical']),
    ...(workload.happens(0.2) ? { notifyRecovery: false } : {}),
    ...(workload.happens(0.15) ? { expiresAt: end } : {}),
  };
}

function readsFloors({ metric = '', all = [] }: RuleBody): boolean {
  const metrics = [metric, ...all.map((clause) => clause.metric)];
  return METRICS.flat().some(
    (known) => metrics.includes(known) && seriesOfMetric(known).includes('floor'),
  );
}

/**
 * Draws the end of a rule. Half of the ends are seconds after a floor, which is then polled after
 * the end.
 */
export function endOf(workload: Workload, earliest: Instant): string {
  const isJustAfter = workload.happens(0.5);
  const floor = workload.floorTimes.find((time) => time >= earliest);
  const end =
    isJustAfter && floor !== undefined ? floor + workload.between(1, 60) * SECOND : earliest;
  return new Date(end).toISOString();
}

/**
 * A rule with a usual price as its threshold. The price may drop or recover while the rule waits.
 */
function atItsLine(workload: Stream): RuleBody {
  const metric = workload.pick(AT_LINES);
  const when = workload.pick(['below', 'above', 'crosses'] as const);
  const tenths = workload.pick(ROUND_TENTHS);
  const isInUsd = familyOf(metric).unit === 'usd';
  const threshold = String((tenths / 10) * (isInUsd ? RATE : 1));
  if (when === 'crosses') return { metric, when, threshold };
  return {
    ...{ metric, when, threshold },
    ...(workload.happens(0.5) ? { steps: workload.pick(['1', '5']) } : {}),
    ...(workload.happens(0.5) ? { keepFor: minutes(workload, 5, 40) } : {}),
    ...silence(workload),
  };
}

/**
 * A rule on a lowest sale. Its recovery may be in progress when the last sale leaves the window.
 */
function ofLastSales(workload: Stream): RuleBody {
  const threshold = String(workload.pick(ROUND_TENTHS) / 10);
  const keepFor = minutes(workload, 60, 120);
  const ignored = ignoring('lowest_price.1d', Number(threshold) * 10, workload);
  return {
    ...{ metric: 'lowest_price.1d', when: 'below', threshold, keepFor },
    ...ignored,
    ...silence(workload),
  };
}

/** A rule whose wait, or reminder, is as long as the window of its metric. */
function ofItsWindow(workload: Stream): RuleBody {
  const metric = workload.pick(['floor_drawdown_pct.1h', 'floor_change_pct.1h'] as const);
  const when =
    metric === 'floor_drawdown_pct.1h' ? 'above' : workload.pick(['below', 'above'] as const);
  const threshold = when === 'below' ? '-2' : '2';
  const wait = workload.pick([
    { for: '1h' },
    { for: '1h' },
    { keepFor: '1h' },
    { repeat: { reminder: '1h' } },
  ]);
  return { metric, when, threshold, ...wait };
}

/** A rule on both floor and lowest sale: one trade moves both. */
function ofFloorAndSale(workload: Stream): RuleBody {
  const when = workload.pick(['below', 'above'] as const);
  const metrics = ['floor_price', 'lowest_price.1d'] as const;
  const all = metrics.map((metric) => ({ ...clause(metric, when, workload), metric, when }));
  return { all, ...waits(workload), ...silence(workload) };
}

const ofPrice = (workload: Stream) =>
  single(workload.pick([...OF_ONE_PRICE, 'floor_price', 'floor_price']), workload);
const ofGain = (workload: Stream) => single(workload.pick(['gain', 'gain_pct']), workload);
const ofMore = (workload: Stream) => single(workload.pick(workload.pick(OF_MORE)), workload);

/** A rule of two conditions that must hold together. One of the conditions usually holds. */
function ofAll(workload: Stream): RuleBody {
  const metrics = [workload.pick(OF_ONE_PRICE), workload.pick(workload.pick(OF_MORE))];
  const all = metrics.map((metric) => {
    const when = workload.pick(['below', 'above', 'outside', 'inside'] as const);
    return { ...clause(metric, when, workload), metric, when };
  });
  return { all, ...waits(workload), ...silence(workload) };
}

/** A rule on the age of data, in minutes. */
function ofAge(workload: Stream): RuleBody {
  const { from, to } = familyOf('data_age_minutes').usual;
  const threshold = workload.between(from, to);
  const waits = workload.happens(0.3) ? { for: minutes(workload, 1, 6) } : {};
  return {
    metric: 'data_age_minutes',
    when: 'above',
    threshold: String(threshold),
    ...(workload.happens(0.3) ? { recover: String(threshold - 2) } : {}),
    ...(workload.happens(0.3) ? { steps: workload.pick(['20', '50']) } : {}),
    ...(workload.happens(0.3) ? { keepFor: minutes(workload, 1, 6) } : {}),
    ...waits,
    ...repetition(workload),
  };
}

function single(metric: Metric, workload: Stream): RuleBody {
  const when = workload.pick([
    'below',
    'below',
    'above',
    'above',
    'outside',
    'inside',
    'crosses',
  ] as const);
  const condition = clause(metric, when, workload);
  if (when === 'crosses') return { ...condition, ...silence(workload) };
  const isLimit = when === 'below' || when === 'above';
  return {
    ...condition,
    ...(isLimit && workload.happens(0.4) ? recovery(metric, condition, workload) : {}),
    ...(isLimit && workload.happens(0.3) ? { steps: workload.pick(['1', '2.5', '5']) } : {}),
    ...waits(workload),
    ...silence(workload),
  };
}

function clause(metric: Metric, when: NonNullable<RuleBody['when']>, workload: Stream): ClauseBody {
  const { from, to, grain } = linesOf(metric);
  const line = workload.between(Math.round(from * grain), Math.round(to * grain));
  const width = ((to - from) * grain) / 5;
  if (when !== 'outside' && when !== 'inside') {
    return { metric, when, threshold: written(line, grain), ...ignoring(metric, line, workload) };
  }
  const isWide = isThresholdOf(metric, written(line - width, grain));
  const low = isWide ? line - width : line;
  return {
    ...{ metric, when, low: written(low, grain), high: written(line + width, grain) },
    ...ignoring(metric, low, workload),
  };
}

/**
 * Draws `ignoreBelow`: a little below the threshold, zero, or none. For a percentage, it is near
 * the usual floor, because the threshold is not a price.
 */
function ignoring(metric: Metric, line: number, workload: Stream): Pick<RuleBody, 'ignoreBelow'> {
  if (!readsSales(metric) || workload.happens(0.5)) return {};
  if (workload.happens(0.2)) return { ignoreBelow: '0' };
  const tenths = isPercent(metric) ? 560 : line;
  return { ignoreBelow: written(tenths - workload.between(1, 30), 10) };
}

/** Draws a recovery threshold on the side of the threshold that does not meet the condition. */
function recovery(
  metric: Metric,
  { when, threshold }: ClauseBody,
  workload: Stream,
): Pick<RuleBody, 'recover'> {
  const { from, to, grain } = linesOf(metric);
  const away = Math.round(((to - from) * grain * workload.between(1, 15)) / 40);
  const line = Math.round(Number(threshold) * grain);
  const recover = written(when === 'below' ? line + away : line - away, grain);
  return isThresholdOf(metric, recover) ? { recover } : {};
}

/**
 * The usual range of thresholds of a metric. `grain` is the number of steps in a unit: 10 for
 * tenths, 0.01 for hundreds of dollars.
 */
function linesOf(metric: Metric) {
  const grain = familyOf(metric).unit === 'usd' ? 0.01 : 10;
  return { ...usualOf(metric, USUAL_FLOOR, RATE), grain };
}

/** Formats a count of tenths, or of hundreds, as a decimal. */
function written(count: number, grain: number): string {
  return grain === 10 ? (Math.round(count) / 10).toFixed(1) : String(Math.round(count / grain));
}

/** Draws how long a rule waits before it fires and recovers, and how often it notifies. */
function waits(workload: Stream): RuleBody {
  const waits = workload.pick(['no', 'no', 'for', 'confirm'] as const);
  const times = workload.between(1, 3);
  return {
    ...(waits === 'for' ? { for: minutes(workload, 1, 12) } : {}),
    ...(waits === 'confirm' ? { confirm: { times, of: times + workload.between(1, 2) } } : {}),
    // Without `keepFor`, a rule on a percentage recovers only after an hour, which is most of a
    // seed.
    ...(workload.happens(0.8) ? { keepFor: minutes(workload, 1, 10) } : {}),
    ...(workload.happens(0.3) ? { arm: 'cross' as const } : {}),
    ...repetition(workload),
  };
}

function repetition(workload: Stream): RuleBody {
  const reminder = minutes(workload, 3, 15);
  return workload.pick([{}, {}, { repeat: 'once' as const }, { repeat: { reminder } }]);
}

const KINDS = [
  ofPrice,
  ofPrice,
  ofPrice,
  atItsLine,
  ofLastSales,
  ofLastSales,
  ofMore,
  ofMore,
  ofGain,
  ofItsWindow,
  ofAll,
  ofFloorAndSale,
  ofAge,
];

/** Draws whether the rule alerts when data are missing. */
function silence(workload: Stream): RuleBody {
  return workload.happens(0.25) ? { noData: { alert: minutes(workload, 4, 15) } } : {};
}

function minutes(workload: Stream, low: number, high: number): string {
  return `${workload.between(low, high)}m`;
}
