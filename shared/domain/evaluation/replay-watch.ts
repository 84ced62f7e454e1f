import type { AlertKind, RuleAlert } from '#shared/domain/alerting/alert.ts';
import { earliest, type Instant } from '#shared/domain/market/instant.ts';
import type { Point, PricePoint } from '#shared/domain/market/point.ts';
import { type Part, seriesOf } from '#shared/domain/market/price-series.ts';
import { isClock, windowOf } from '#shared/domain/metrics/metric.ts';
import { leftWindowAt } from '#shared/domain/polling/absorb-answers.ts';
import { type ContractRecord, newContractRecord } from '#shared/domain/polling/contract-record.ts';
import { clausesIn } from '#shared/domain/rules/alert-rule.ts';
import { appendPoll } from '#shared/domain/timeline/append-poll.ts';
import { evaluatedTo, newestIn, readingOf, readSteps } from '#shared/domain/timeline/timeline.ts';
import { evaluateByClock, evaluateSteps } from './evaluate-watch.ts';
import { countUpTo, type Past } from './known-at-step.ts';
import { lookBackOf, nextTimer, partsOfWatch, type Watch } from './watch.ts';

/** Reported points of a contract by part, oldest first, one for each time. */
export type ReportedPast = ReadonlyMap<Part, readonly Point[]>;

/** The alerts that a watch would have sent. */
export type Replay = {
  /** The first of them. */
  readonly alerts: readonly RuleAlert[];
  readonly counts: Readonly<Partial<Record<AlertKind, number>>>;
  /** How often it was pending, and the value came back before it fired. */
  readonly pendingEnded: number;
  /** How far the replay came. */
  readonly until: Instant;
  /** The number of evaluations that it took. */
  readonly evaluations: number;
};

type Span = { readonly from: Instant; readonly to: Instant };
type Bounds = { readonly evaluations: number; readonly alerts: number };

/**
 * Lets a new watch live through the past of its contract, as if that had been polled at each moment
 * at which something was reported, at each timer of the watch, and for windows each time that a floor
 * leaves one. Before the span it sees only the past that a first evaluation would read.
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
    until = moment;
  }
  const counts = Object.fromEntries(
    [...Map.groupBy(sent, ({ kind }) => kind)].map(([kind, alerts]) => [kind, alerts.length]),
  );
  return { alerts: sent.slice(0, bounds.alerts), counts, pendingEnded, until, evaluations };
}

type Living = { readonly watch: Watch; readonly record: ContractRecord };

function recordOf(watch: Watch): ContractRecord {
  const parts = Object.fromEntries(partsOfWatch(watch).map((part) => [part, {}]));
  return { ...newContractRecord(watch.contract, 0), parts };
}

/** The timer of a watch that is still to come. One that has passed in vain waits for a value. */
function timerAfter(watch: Watch, time: Instant): Instant | undefined {
  const timer = earliest([nextTimer(watch), watch.expiresAt]);
  return timer !== undefined && timer > time ? timer : undefined;
}

/** One poll: appends the points reported up to a moment, and evaluates the watch. */
function evaluateAt({ watch, record: before }: Living, reported: ReportedPast, asked: Instant) {
  const parts = partsOfWatch(watch);
  const reading = readingOf(before.timeline);
  const newsOf = (part: Part): readonly Point[] => {
    const points = reported.get(part) ?? [];
    const newest = newestIn(reading, part);
    const end = countUpTo(points, asked);
    const start = newest === undefined ? Math.max(0, end - 1) : countUpTo(points, newest.time);
    return points.slice(start, end);
  };
  const latest = parts.flatMap((part) => {
    const newest = part === 'floor' ? undefined : newsOf(part).at(-1);
    return newest === undefined ? [] : [[part, newest] as const];
  });
  const floors = parts.includes('floor') ? newsOf('floor').filter(isPrice) : [];
  const answeredAt = Object.fromEntries(parts.map((part) => [part, asked]));
  const answers = { asked, answeredAt, floors, latest: Object.fromEntries(latest) };
  const timeline = appendPoll(before.timeline, answers, true);
  const answered = parts.map((part) => [part, { answeredAt: asked }] as const);
  const record = { ...before, timeline, parts: Object.fromEntries(answered) };
  const past = pastAt(watch, reported, asked);
  // The cadence decides what is late; nothing is late here.
  const time = { now: asked, cadenceMinutes: 1 };
  // The history lacks answers that a provider would have given: no `stale` for a missing value.
  const evaluated = isClock(watch.ruleCondition.metric)
    ? evaluateByClock(watch, { record, past }, asked)
    : evaluateSteps(watch, readSteps(timeline), past, time);
  return { ...evaluated, record: { ...record, timeline: evaluatedTo(timeline, timeline.seq) } };
}

/** As much of the past as the history would give to an evaluation. */
function pastAt(watch: Watch, reported: ReportedPast, asked: Instant): Past {
  const since = earliest([asked - lookBackOf(watch), watch.firedAt]) ?? asked;
  const recorded = partsOfWatch(watch).map((part) => {
    const points = reported.get(part) ?? [];
    const from = seriesOf(part).isComparedOverSpans ? since - lookBackOf(watch) : since;
    const held = Math.max(0, countUpTo(points, from) - READ_BEFORE);
    return [part, points.slice(held, countUpTo(points, asked)).filter(isPrice)] as const;
  });
  return { recorded: new Map(recorded) };
}

/** Whether a floor is a glitch depends on its neighbours. */
const READ_BEFORE = 8;

function isPrice(point: Point): point is PricePoint {
  return point.kind === 'price';
}

/** The moments of a span at which something is reported or leaves a window, and its end. */
function momentsOf(watch: Watch, past: ReportedPast, { from, to }: Span): readonly Instant[] {
  const windows = clausesIn(watch.ruleCondition).flatMap(({ metric }) => windowOf(metric) ?? []);
  const reported = partsOfWatch(watch).flatMap((part) => past.get(part) ?? []);
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
 * What was recorded of a part as it was reported: the history keeps prices alone, and that a lowest
 * sale leaves its window without another in it is known when nothing else was reported by then.
 */
export function pastOf(
  part: Part,
  recorded: readonly PricePoint[],
  until: Instant,
): readonly Point[] {
  if (seriesOf(part).lookBackDays === undefined) return recorded;
  return recorded.flatMap((point, index): Point[] => {
    const left = leftWindowAt(part, point);
    const next = recorded[index + 1]?.time ?? until + 1;
    return left > point.time && left < next ? [point, { kind: 'empty', time: left }] : [point];
  });
}
