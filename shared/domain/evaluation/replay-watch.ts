import type { AlertKind, RuleAlert } from '#shared/domain/alerting/alert.ts';
import { earliest, type Instant } from '#shared/domain/market/instant.ts';
import type { Point, PricePoint } from '#shared/domain/market/point.ts';
import { type PriceSeriesName, priceSeries } from '#shared/domain/market/price-series.ts';
import { isClock, isContinuous, windowOf } from '#shared/domain/metrics/metric.ts';
import { leftWindowAt } from '#shared/domain/polling/absorb-answers.ts';
import { type ContractRecord, newContractRecord } from '#shared/domain/polling/contract-record.ts';
import { clausesIn } from '#shared/domain/rules/alert-rule.ts';
import { linesOf } from '#shared/domain/rules/condition.ts';
import { appendPoll } from '#shared/domain/timeline/append-poll.ts';
import {
  evaluatedTo,
  newestIn,
  newestReading,
  readSteps,
} from '#shared/domain/timeline/timeline.ts';
import { evaluateByClock, evaluateSteps } from './evaluate-watch.ts';
import { countUpTo, type Past } from './known-at-step.ts';
import { type MeasuredClause, measuredClausesOf } from './measured-clause.ts';
import { isEpisodeOpen, lookBackOf, nextTimer, seriesOfWatch, type Watch } from './watch.ts';

/** Reported points of a contract by price series: oldest first, no two with the same time. */
export type ReportedPast = ReadonlyMap<PriceSeriesName, readonly Point[]>;

/** The alerts that a watch would have sent in a span of the past. */
export type Replay = {
  /** The first alerts, up to a limit. */
  readonly alerts: readonly RuleAlert[];
  readonly counts: Readonly<Partial<Record<AlertKind, number>>>;
  /** How often the watch was pending but did not fire. */
  readonly pendingEnded: number;
  /** The last moment that was replayed. */
  readonly until: Instant;
  /** Number of evaluations. */
  readonly evaluations: number;
};

type Span = { readonly from: Instant; readonly to: Instant };
type Bounds = { readonly evaluations: number; readonly alerts: number };

/**
 * Replays the recorded prices of a contract for a new watch. It evaluates the watch
 * - at each recorded point, at each timer of the watch, and whenever a floor leaves a window
 * - in an open episode on an average, also at the moment between two floors at which the value
 * reaches or crosses a threshold
 *
 * The replay reads no more prices from before the span than the first evaluation of a real watch
 * does.
 */
export function replayWatch(
  watch: Watch,
  reported: ReportedPast,
  { from, to }: Span,
  bounds: Bounds,
): Replay {
  const moments = momentsOf(watch, reported, { from, to });
  const sent: RuleAlert[] = [];
  let living: Living = { watch, record: recordOf(watch) };
  let pendingEnded = 0;
  let until = from;
  let next = 0;
  let evaluations = 0;
  while (evaluations < bounds.evaluations) {
    evaluations += 1;
    const before = living.watch;
    const { alerts, ...lived } = evaluateAt(living, reported, until);
    sent.push(...alerts);
    living = lived;
    if (before.state === 'pending' && living.watch.state === 'ok') pendingEnded += 1;
    while ((moments[next] ?? Number.POSITIVE_INFINITY) <= until) next += 1;
    const moment = earliest([moments[next], timerAfter(living.watch, until)]);
    if (moment === undefined || moment > to) break;
    until = crossingBefore(moment, living, reported, until) ?? moment;
  }
  const counts = Object.fromEntries(
    [...Map.groupBy(sent, ({ kind }) => kind)].map(([kind, alerts]) => [kind, alerts.length]),
  );
  return { alerts: sent.slice(0, bounds.alerts), counts, pendingEnded, until, evaluations };
}

type Living = { readonly watch: Watch; readonly record: ContractRecord };

function recordOf(watch: Watch): ContractRecord {
  const series = Object.fromEntries(seriesOfWatch(watch).map((name) => [name, {}]));
  return { ...newContractRecord(watch.contract, 0), series };
}

/**
 * The next timer of a watch after a moment. Undefined if the timer has passed without effect,
 * because it then waits for a value.
 */
function timerAfter(watch: Watch, time: Instant): Instant | undefined {
  const timer = earliest([nextTimer(watch), watch.expiresAt]);
  return timer !== undefined && timer > time ? timer : undefined;
}

/**
 * The first moment, after `start` and before `end`, at which a continuous metric of an open episode
 * reaches or crosses a threshold of its rule. In this span the floors of each window stay the same,
 * so each value only rises or only falls, and a binary search finds the moment.
 */
function crossingBefore(
  end: Instant,
  { watch, record }: Living,
  reported: ReportedPast,
  start: Instant,
): Instant | undefined {
  const moves = clausesIn(watch.ruleCondition).some(({ metric }) => isContinuous(metric));
  if (!isEpisodeOpen(watch) || !moves) return undefined;
  const snapshot = { record, past: pastAt(watch, reported, start) };
  const sidesAt = (moment: Instant) =>
    measuredClausesOf(watch, snapshot, moment).map(sidesOf).join(' ');
  const sides = sidesAt(start);
  if (sidesAt(end - 1) === sides) return undefined;
  let [same, other] = [start, end - 1];
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (sidesAt(middle) === sides) same = middle;
    else other = middle;
  }
  return other;
}

/** The position of a condition's value relative to each of its lines. */
function sidesOf({ condition, measured }: MeasuredClause): string {
  if (measured.kind === 'none') return 'unknown';
  const { value } = measured;
  const sides = linesOf(condition).map((line) =>
    value === line ? 'at' : value > line ? 'above' : 'below',
  );
  return sides.join(' ');
}

/** One poll: appends the points reported up to a moment, and evaluates the watch. */
function evaluateAt({ watch, record: before }: Living, reported: ReportedPast, asked: Instant) {
  const series = seriesOfWatch(watch);
  const reading = newestReading(before.timeline);
  const newsOf = (name: PriceSeriesName): readonly Point[] => {
    const points = reported.get(name) ?? [];
    const newest = newestIn(reading, name);
    const end = countUpTo(points, asked);
    const start = newest === undefined ? Math.max(0, end - 1) : countUpTo(points, newest.time);
    return points.slice(start, end);
  };
  const latest = series.flatMap((name) => {
    const newest = name === 'floor' ? undefined : newsOf(name).at(-1);
    return newest === undefined ? [] : [[name, newest] as const];
  });
  const floors = series.includes('floor') ? newsOf('floor').filter(isPrice) : [];
  const answeredAt = Object.fromEntries(series.map((name) => [name, asked]));
  const answers = { asked, answeredAt, floors, latest: Object.fromEntries(latest) };
  const timeline = appendPoll(before.timeline, answers, true);
  const answered = series.map((name) => [name, { answeredAt: asked }] as const);
  const record = { ...before, timeline, series: Object.fromEntries(answered) };
  const past = pastAt(watch, reported, asked);
  // The cadence is irrelevant: a replay evaluates prices at their own times, so no alert is late.
  const time = { now: asked, cadenceMinutes: 1 };
  // The history has no answers without a price, so a replay cannot report that a first value is
  // missing.
  const evaluated = isClock(watch.ruleCondition.metric)
    ? evaluateByClock(watch, { record, past }, asked)
    : evaluateSteps(watch, readSteps(timeline), past, time);
  return { ...evaluated, record: { ...record, timeline: evaluatedTo(timeline, timeline.seq) } };
}

/** The recorded prices that an evaluation would have read from the history. */
function pastAt(watch: Watch, reported: ReportedPast, asked: Instant): Past {
  const since = earliest([asked - lookBackOf(watch), watch.firedAt]) ?? asked;
  const recorded = seriesOfWatch(watch).map((series) => {
    const points = reported.get(series) ?? [];
    const from = priceSeries(series).isComparedOverSpans ? since - lookBackOf(watch) : since;
    const held = Math.max(0, countUpTo(points, from) - READ_BEFORE);
    return [series, points.slice(held, countUpTo(points, asked)).filter(isPrice)] as const;
  });
  return { recorded: new Map(recorded) };
}

/**
 * Number of points to read before a span, because whether a floor is a glitch depends on its
 * neighbours.
 */
const READ_BEFORE = 8;

function isPrice(point: Point): point is PricePoint {
  return point.kind === 'price';
}

/**
 * The moments of a span at which a point is reported or leaves a window, and the end of the span.
 */
function momentsOf(watch: Watch, past: ReportedPast, { from, to }: Span): readonly Instant[] {
  const windows = clausesIn(watch.ruleCondition).flatMap(({ metric }) => windowOf(metric) ?? []);
  const reported = seriesOfWatch(watch).flatMap((series) => past.get(series) ?? []);
  const floors = past.get('floor') ?? [];
  const moments = [
    to,
    ...reported.map(({ time }) => time),
    ...windows.flatMap((window) => floors.map(({ time }) => time + window)),
  ];
  return [...new Set(moments)]
    .filter((moment) => moment > from && moment <= to)
    .toSorted((a, b) => a - b);
}

/**
 * The recorded points of a price series as they were reported. The history has only prices, so
 * empty windows are added: if a lowest sale leaves its window before the next recorded price, the
 * window was empty from then on.
 */
export function reportedPast(
  series: PriceSeriesName,
  recorded: readonly PricePoint[],
  until: Instant,
): readonly Point[] {
  if (priceSeries(series).lookBackDays === undefined) return recorded;
  return recorded.flatMap((point, index): Point[] => {
    const left = leftWindowAt(series, point);
    const next = recorded[index + 1]?.time ?? until + 1;
    return left > point.time && left < next ? [point, { kind: 'empty', time: left }] : [point];
  });
}
