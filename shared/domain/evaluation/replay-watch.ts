import type { AlertKind, RuleAlert } from '#shared/domain/alerting/alert.ts';
import { earliest, type Instant } from '#shared/domain/market/instant.ts';
import type { Part, Point, PricePoint } from '#shared/domain/market/point.ts';
import { windowOf } from '#shared/domain/metrics/metric.ts';
import { leftWindowAt } from '#shared/domain/polling/absorb-answers.ts';
import { type ContractRecord, newContractRecord } from '#shared/domain/polling/contract-record.ts';
import { numberPoints } from '#shared/domain/polling/number-points.ts';
import { clausesIn } from '#shared/domain/rules/alert-rule.ts';
import { evaluateWatch } from './evaluate-watch.ts';
import { neededSince } from './needed-since.ts';
import { emptied } from './outbox.ts';
import { type PartSnapshot, partSnapshot, type Snapshot } from './snapshot.ts';
import { nextTimer, partsOfWatch, type Watch } from './watch.ts';

/** What was reported of a contract by part, oldest first, no two points of a part of one time. */
export type Past = ReadonlyMap<Part, readonly Point[]>;

/** The alerts that a watch would have sent. */
export type Replay = {
  /** The first of them. */
  readonly alerts: readonly RuleAlert[];
  readonly counts: Readonly<Partial<Record<AlertKind, number>>>;
  /** How often it was pending, and the value came back before it fired. */
  readonly pendingEnded: number;
  /** How far the replay came. */
  readonly until: Instant;
};

type Span = { readonly from: Instant; readonly to: Instant };
type Bounds = { readonly evaluations: number; readonly alerts: number };

/**
 * Lets a new watch live through the past of its contract, as if that had been polled at each moment
 * at which something was reported. Each such moment, and each timer of the watch, is evaluated by the
 * code that evaluates live watches. Of what lies before the span it sees what its first evaluation
 * would see.
 */
export function replayWatch(watch: Watch, past: Past, { from, to }: Span, bounds: Bounds): Replay {
  const parts = partsOfWatch(watch).map((part) => ({ part, points: past.get(part) ?? [] }));
  const moments = momentsOf(watch, past, { from, to });
  const reported: RuleAlert[] = [];
  let living: Living = { watch, record: recordAt(watch) };
  let pendingEnded = 0;
  let until = from;
  let next = 0;
  for (let evaluation = 0; evaluation < bounds.evaluations; evaluation += 1) {
    const before = living.watch;
    const { evaluated, record } = evaluateAt(living, parts, until);
    reported.push(...evaluated.outbox);
    if (before.state === 'pending' && evaluated.state === 'ok') pendingEnded += 1;
    living = { watch: emptied(evaluated), record };
    while ((moments[next] ?? Number.POSITIVE_INFINITY) <= until) next += 1;
    const moment = earliest([moments[next], instantAfter(living.watch, until)]);
    if (moment === undefined || moment > to) break;
    until = moment;
  }
  const counts = Object.fromEntries(
    [...Map.groupBy(reported, ({ kind }) => kind)].map(([kind, alerts]) => [kind, alerts.length]),
  );
  return { alerts: reported.slice(0, bounds.alerts), counts, pendingEnded, until };
}

type Living = { readonly watch: Watch; readonly record: ContractRecord };

type PartPast = { readonly part: Part; readonly points: readonly Point[] };

function recordAt({ contract, since }: Watch): ContractRecord {
  return { ...newContractRecord(contract, 0), windowExpiries: { until: since } };
}

/** The instant of a watch that is still to come. One that has passed in vain waits for a value. */
function instantAfter(watch: Watch, time: Instant): Instant | undefined {
  const instant = nextTimer(watch);
  return instant !== undefined && instant > time ? instant : undefined;
}

/** One evaluation: the record takes what was reported up to a moment, and the watch is evaluated by it. */
function evaluateAt({ watch, record: before }: Living, parts: readonly PartPast[], time: Instant) {
  const record = parts.reduce((known, part) => answered(known, part, time), before);
  const snapshot: Snapshot = {
    parts: Object.fromEntries(
      parts.map(({ part, points }) => [part, withPast(record, watch, { part, points }, time)]),
    ),
    windowsExpiredUntil: record.windowExpiries?.until,
  };
  // The cadence decides what is late; nothing is late here.
  const evaluated = evaluateWatch(watch, snapshot, { now: time, cadenceMinutes: 1 });
  return { evaluated, record: { ...record, unevaluated: [], windowExpiries: { until: time } } };
}

/**
 * The record with what a part has reported since the last evaluation; of the first answer only the
 * newest counts.
 */
function answered(record: ContractRecord, { part, points }: PartPast, time: Instant) {
  const known = record.parts[part]?.newest;
  const end = countUpTo(points, time);
  const start = known === undefined ? Math.max(0, end - 1) : countUpTo(points, known.point.time);
  const numbers = { part, poll: time, after: record.seq };
  const { observations: news, newest } = numberPoints(numbers, known, points.slice(start, end));
  return {
    ...record,
    seq: record.seq + news.length,
    unevaluated: [...record.unevaluated, ...news],
    parts: {
      ...record.parts,
      [part]: { answeredAt: time, ...(newest === undefined ? {} : { newest }) },
    },
  };
}

/** What is known of a part, with as much of its past as the history would give to an evaluation. */
function withPast(
  record: ContractRecord,
  watch: Watch,
  { part, points }: PartPast,
  time: Instant,
): PartSnapshot {
  const known = partSnapshot(record, part);
  const since = neededSince(record, part, [watch]);
  if (since === undefined) return known;
  const held = Math.max(0, countUpTo(points, since) - 1);
  const recorded = points.slice(held, countUpTo(points, time)).filter(isPrice);
  return { ...known, recorded };
}

function isPrice(point: Point): point is PricePoint {
  return point.kind === 'price';
}

/** How many of some points, which are in order, lie at a moment or before it. */
function countUpTo(points: readonly Point[], time: Instant): number {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.time ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The moments of a span at which something is reported or leaves a window, and its end. */
function momentsOf(watch: Watch, past: Past, { from, to }: Span): readonly Instant[] {
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
  if (part === 'floor') return recorded;
  return recorded.flatMap((point, index): Point[] => {
    const left = leftWindowAt(part, point);
    const next = recorded[index + 1]?.time ?? until + 1;
    return left > point.time && left < next ? [point, { kind: 'empty', time: left }] : [point];
  });
}
