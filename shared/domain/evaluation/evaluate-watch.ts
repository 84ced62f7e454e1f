import { HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { hasMoved, newestTime } from '#shared/domain/metrics/measure.ts';
import {
  isClock,
  partsOfMetric,
  windowExpiriesBetween,
  windowOf,
} from '#shared/domain/metrics/metric.ts';
import type { Series } from '#shared/domain/metrics/prices.ts';
import { clausesIn, type RuleCondition } from '#shared/domain/rules/alert-rule.ts';
import type { Cause } from './cause.ts';
import { resultOf } from './result.ts';
import {
  answeredAtOf,
  asObserved,
  countedFrom,
  evaluatedBefore,
  heldAt,
  isUnobservedAt,
  knownAsOf,
  knownBefore,
  knownOf,
  type Moment,
  minutesSince,
  newestOf,
  observationsAbove,
  observedAt,
  pollMoments,
  type Snapshot,
  snapshotFor,
  unevaluatedOf,
} from './snapshot.ts';
import { closeEpisode, move, pass, reportFirstValue, withoutSale } from './transitions.ts';
import {
  endOf,
  isEpisodeOpen,
  lookBackOf,
  nextTimer,
  partsOfWatch,
  type Watch,
  wakeAt,
} from './watch.ts';

/** The moment of an evaluation, and what makes a transition late. */
export type EvaluationTime = { readonly now: Instant; readonly cadenceMinutes: number };

/** Hourly data of an hour-old vendor cache are not late. */
const VENDOR_DELAY = HOUR;

/**
 * Evaluates a watch by every observation it has not evaluated yet, by every window expiry and by
 * every timer that has come, in the order of the data, and puts the alerts of its
 * transitions into its outbox. The same watch comes back when nothing moved.
 *
 * An instant is evaluated once an answer asked for at or after it is in, with the value that held
 * then. At one time, observations come before window expiries, and these before timers. A watch
 * ends in the same way: what happened before its end is evaluated however late it is polled.
 */
export function evaluateWatch(watch: Watch, reported: Snapshot, time: EvaluationTime): Watch {
  if (watch.admin !== 'enabled') return watch;
  const snapshot = snapshotFor(watch.ruleCondition, reported);
  if (isClock(watch.ruleCondition.metric)) {
    return endedBy(time.now, evaluateByClock(watch, snapshot, time), time);
  }
  const answeredAt = answeredAtOf(snapshot, partsOfWatch(watch));
  if (answeredAt === undefined) {
    return watch.state === 'unknown' ? watch : evaluateByData(watch, snapshot, 0, time);
  }
  return endedBy(answeredAt, evaluateAnswered(watch, snapshot, answeredAt, time), time);
}

function evaluateAnswered(
  watch: Watch,
  snapshot: Snapshot,
  answeredAt: Instant,
  time: EvaluationTime,
): Watch {
  if (watch.state !== 'unknown') return evaluateByData(watch, snapshot, answeredAt, time);
  return answeredAt <= watch.since ? watch : begin(watch, snapshot, answeredAt, time);
}

/** A watch is at its end once an answer asked for then or later is in; an open episode is closed. */
function endedBy(moment: Instant, watch: Watch, { now }: EvaluationTime): Watch {
  const end = endOf(watch);
  if (end === undefined || moment < end) return watch;
  return { ...closeEpisode(watch, 'expired', { time: end, now }), admin: 'expired' };
}

function evaluateByData(
  watch: Watch,
  snapshot: Snapshot,
  answeredAt: Instant,
  time: EvaluationTime,
): Watch {
  const parts = partsOfWatch(watch);
  const observations = observationsAbove(snapshot, parts, watch.evaluatedSeq);
  const windowExpiries = windowExpiriesOf(watch, snapshot, answeredAt);
  const evaluation = evaluationOf(watch, snapshot, time);
  let evaluating: Evaluating = { watch, windowExpiries, moves: NO_MOVES, settledTo: 0 };
  for (const moment of pollMoments(observations)) {
    evaluating = advanceTo(evaluating, moment.from - 1, evaluation);
    const settledTo = moment.observation.point.time;
    evaluating = {
      ...evaluating,
      watch: observe(evaluating.watch, moment, evaluation),
      windowExpiries: evaluating.windowExpiries.filter((windowExpiry) => windowExpiry >= settledTo),
      settledTo,
    };
  }
  const evaluated = advanceTo(evaluating, answeredAt, evaluation).watch;
  if (evaluated === watch) return watch;
  // All of it is evaluated, also what moved nothing: it must not meet the state that came after it.
  const evaluatedUntil = Math.max(evaluated.evaluatedUntil ?? 0, windowExpiries.at(-1) ?? 0);
  return {
    ...evaluated,
    evaluatedSeq: Math.max(evaluated.evaluatedSeq, ...observations.map(({ seq }) => seq)),
    ...(evaluatedUntil === 0 ? {} : { evaluatedUntil }),
  };
}

const NO_MOVES: ReadonlySet<Instant> = new Set();

/** A watch under evaluation. */
type Evaluating = {
  readonly watch: Watch;
  /** The window expiries that are still to come. */
  readonly windowExpiries: readonly Instant[];
  /** Those of them at which a price has moved that a finished evaluation has evaluated. */
  readonly moves: ReadonlySet<Instant>;
  /** The time of the last moment: what was known then counts for its timers before it, too. */
  readonly settledTo: Instant;
};

/**
 * A new watch starts with the newest of an answer that was asked for after the watch came to be:
 * what lies before that happened before anyone watched.
 */
function begin(watch: Watch, snapshot: Snapshot, answeredAt: Instant, time: EvaluationTime): Watch {
  const parts = partsOfWatch(watch);
  const newest = newestOf(snapshot, parts);
  const last = newest.at(-1);
  if (last === undefined) return watch;
  const seq = Math.max(...newest.map((observation) => observation.seq));
  const evaluation = evaluationOf(watch, snapshot, time);
  const { all, comparison } = evaluation;
  const pointTime = last.point.time;
  const windowExpiries = windowExpiriesIn(watch.ruleCondition, all, pointTime, answeredAt);
  const moment = windowExpiries.at(-1) ?? pointTime;
  // A watch that starts with what was there before it has missed nothing.
  const cause = { time: moment, known: all, late: false, now: time.now, all };
  const alone = { observation: last, completesPoll: false, from: pointTime };
  const earlier = knownBefore(comparison, parts, alone);
  const before = { known: earlier, time: moment - 1 };
  const begun = evaluate(reportFirstValue(watch, cause), { ...cause, before }, seq);
  return begun.state === 'unknown'
    ? watch
    : advanceTo(
        { watch: begun, windowExpiries: [], moves: NO_MOVES, settledTo: 0 },
        answeredAt,
        evaluation,
      ).watch;
}

/** The inputs of one evaluation of a watch. */
type Evaluation = {
  readonly snapshot: Snapshot;
  /** What the value before an observation comes from. */
  readonly comparison: Snapshot;
  /** The number up to which all had been evaluated before. */
  readonly evaluatedSeq: number;
  readonly time: EvaluationTime;
  readonly all: Series;
};

function evaluationOf(watch: Watch, snapshot: Snapshot, time: EvaluationTime): Evaluation {
  return {
    snapshot,
    comparison: comparedTo(watch, snapshot),
    // What comes late meets what was evaluated before it, also where that moved nothing.
    evaluatedSeq: Math.max(watch.evaluatedSeq, evaluatedBefore(snapshot)),
    time,
    all: knownOf(snapshot, partsOfWatch(watch)),
  };
}

/** Evaluates one observation with what was known when it had been accepted. */
function observe(watch: Watch, moment: Moment, evaluation: Evaluation): Watch {
  const { observation } = moment;
  const { seq, point } = observation;
  const parts = partsOfWatch(watch);
  const known = knownAsOf(evaluation.snapshot, parts, observation, evaluation.evaluatedSeq);
  // A metric of several numbers is evaluated no earlier than before.
  const time = isDerived(watch)
    ? Math.max(newestTime(known), watch.evaluatedUntil ?? 0)
    : point.time;
  const earlier = knownBefore(evaluation.comparison, parts, moment, evaluation.evaluatedSeq);
  const before = { known: earlier, time: time - 1 };
  const late = isLate(point.time, evaluation.time);
  const { heldBack: outlier, previous: stood } = observation;
  const heldBack = outlier && stood && { outlier, stood };
  const about = {
    late,
    now: evaluation.time.now,
    all: evaluation.all,
    ...(heldBack && { heldBack }),
  };
  const isRevision =
    earlier.get(observation.part)?.at(-1)?.time === point.time &&
    typeof resultOf(watch, { ...before, ...about }) === 'object';
  const isStill = watch.brokenSince === undefined && !hasNewPrice(watch, moment, evaluation);
  return evaluate(watch, { time, known, before, isRevision, isStill, ...about }, seq);
}

/** Whether a moment brings another price, of what no finished evaluation has evaluated. */
function hasNewPrice({ ruleCondition }: Watch, moment: Moment, { snapshot }: Evaluation): boolean {
  const { observation, completesPoll } = moment;
  return clausesIn(ruleCondition).some((clause) =>
    unevaluatedOf(snapshot, partsOfMetric(clause.metric)).some((one) => {
      const isOfIt =
        completesPoll && one.poll === observation.poll && one.point.time <= observation.point.time;
      return (isOfIt || one.seq === observation.seq) && hasMoved(clause, one);
    }),
  );
}

/**
 * What the value before an observation comes from. A watch of one price is evaluated by observations
 * alone, so its alert compares observations: recorded prices between two of them are only there if
 * another watch has a window, and may lie on the other side of a line that has just been crossed.
 */
function comparedTo(watch: Watch, snapshot: Snapshot): Snapshot {
  return isDerived(watch) ? snapshot : asObserved(snapshot);
}

/**
 * Lets the window expiries and timers of a watch pass, up to and including a limit.
 */
function advanceTo(
  evaluating: Evaluating,
  limit: Instant,
  { snapshot, comparison, time, all }: Evaluation,
): Evaluating {
  const parts = partsOfWatch(evaluating.watch);
  let { watch, windowExpiries, moves } = evaluating;
  const { settledTo } = evaluating;
  let hasSlid = false;
  for (;;) {
    const own = wakeAt(watch) ?? Number.POSITIVE_INFINITY;
    const windowExpiry = windowExpiries[0] ?? Number.POSITIVE_INFINITY;
    const instant = Math.min(own, windowExpiry);
    if (instant > limit || hasExpired(watch, instant)) {
      return { watch, windowExpiries, moves, settledTo };
    }
    const heldUntil = Math.max(instant, settledTo);
    const known = heldAt(snapshot, parts, heldUntil);
    const isKnown = [...known.values()].some((points) => points.length > 0);
    if (!isKnown) return { watch, windowExpiries, moves, settledTo };
    const late = isLate(instant, time);
    const isStill = !moves.has(instant);
    const cause: Cause = { time: instant, known, late, now: time.now, all, isStill };
    const heldBefore = isStill ? heldUntil : instant - 1;
    const before = { known: heldAt(comparison, parts, heldBefore), time: instant - 1 };
    if (windowExpiry <= own) {
      // One that counts observations is moved by those alone until it fires.
      const isCounting = watch.ruleCondition.confirm !== undefined && !isEpisodeOpen(watch);
      watch = isCounting ? watch : evaluate(watch, { ...cause, before });
      windowExpiries = windowExpiries.slice(1);
      hasSlid = true;
    } else {
      // No observation has shown whether its condition has held until then. What was recorded since
      // an expiry, or of a window's past, may have come after the observations around it were evaluated.
      const isUnobserved = hasSlid || isDerived(watch) || isUnobservedAt(snapshot, parts, instant);
      const held = isUnobserved ? evaluate(watch, { ...cause, before }) : watch;
      // What was fetched since may contradict a state that rests on observations: then it speaks of those.
      const isDenied = !isUnobserved && evaluate(held, { ...cause, before }).state !== held.state;
      const seen = isDenied ? observedAt(snapshot, parts, heldUntil) : known;
      if (held.state !== watch.state) {
        // Finished evaluations met another state, and may have passed over what moves this one.
        moves = new Set(finishedMoves(held, snapshot, instant));
        const answeredAt = answeredAtOf(snapshot, parts) ?? limit;
        const expiries = windowExpiriesIn(held.ruleCondition, all, instant, answeredAt);
        windowExpiries = [...new Set([...expiries, ...moves])].toSorted((a, b) => a - b);
      }
      watch = wakeAt(held) === own ? pass(held, { ...cause, known: seen }) : held;
    }
  }
}

/** The times after an instant at which finished evaluations have evaluated another floor. */
function finishedMoves(
  { ruleCondition }: Watch,
  { parts: { floor } }: Snapshot,
  after: Instant,
): readonly Instant[] {
  const unfinished = new Set(floor?.unevaluated.map(({ point }) => point.time));
  const observed = floor?.recorded?.filter(({ observedAs }) => observedAs !== undefined) ?? [];
  return observed.flatMap((point, index) => {
    const { time, knownFrom = time } = point;
    if (knownFrom <= after || unfinished.has(time)) return [];
    const previous = observed[index - 1];
    const change = { part: 'floor', point, ...(previous && { previous }) } as const;
    return clausesIn(ruleCondition).some((clause) => hasMoved(clause, change)) ? [knownFrom] : [];
  });
}

/**
 * The window expiries that a watch has to evaluate: those that no finished evaluation has
 * evaluated, and those after late observations, since other values held then.
 */
function windowExpiriesOf(watch: Watch, snapshot: Snapshot, limit: Instant): readonly Instant[] {
  const { ruleCondition, evaluatedSeq, evaluatedUntil = 0 } = watch;
  const news = unevaluatedOf(snapshot, partsOfWatch(watch)).filter(({ seq }) => seq > evaluatedSeq);
  const settled = Math.min(
    snapshot.windowsExpiredUntil ?? limit,
    ...news.map(({ point }) => point.time),
  );
  const after = Math.max(settled, evaluatedUntil);
  return windowExpiriesIn(ruleCondition, knownOf(snapshot, ['floor']), after, limit);
}

/** The instants at which a point leaves one of a condition's windows, each once. */
function windowExpiriesIn(
  ruleCondition: RuleCondition,
  known: Series,
  after: Instant,
  until: Instant,
): readonly Instant[] {
  const floor = known.get('floor') ?? [];
  const instants = clausesIn(ruleCondition).flatMap(({ metric }) => {
    const window = windowOf(metric);
    return window === undefined ? [] : windowExpiriesBetween(window, floor, after, until);
  });
  return [...new Set(instants)].toSorted((a, b) => a - b);
}

/**
 * Evaluates a metric that the clock moves by the moment of the evaluation: data may be missing
 * because the provider is.
 */
function evaluateByClock(watch: Watch, snapshot: Snapshot, time: EvaluationTime): Watch {
  // Of the moments before its end the last is evaluated, should the evaluation come later.
  const now = Math.min(time.now, (endOf(watch) ?? Number.POSITIVE_INFINITY) - 1);
  const { metric } = watch.ruleCondition;
  const [part] = partsOfWatch(watch);
  const known = part === undefined ? undefined : snapshot.parts[part];
  const countsFrom = isClock(metric) ? countedFrom(metric, known, now) : undefined;
  const clock = minutesSince(countsFrom ?? watch.since, now);
  const all = knownOf(snapshot, part === undefined ? [] : [part]);
  const cause: Cause = { time: now, known: all, late: false, now: time.now, all, clock };
  const { editedAt, ...seen } = watch;
  const isTheSame = countsFrom === undefined && editedAt === undefined;
  const counting = isTheSame ? watch : { ...seen, ...(countsFrom !== undefined && { countsFrom }) };
  const evaluated = passOwn(evaluate(counting, cause), cause);
  // The moment it counts from is kept for its timers: written when one has come.
  const isDue = (nextTimer(watch) ?? Number.POSITIVE_INFINITY) <= now;
  const isFirst = watch.countsFrom === undefined;
  return evaluated !== counting || isDue || isFirst ? evaluated : watch;
}

/** Lets the timers pass that have come. */
function passOwn(watch: Watch, cause: Cause): Watch {
  const instant = wakeAt(watch);
  return instant === undefined || instant > cause.time ? watch : passOwn(pass(watch, cause), cause);
}

/**
 * Evaluates what is known at some moment; `seq` is the number of the observation that reported it.
 */
function evaluate(watch: Watch, cause: Cause, seq?: number): Watch {
  if (hasExpired(watch, cause.time)) return watch;
  const result = resultOf(watch, cause);
  if (result === undefined) return withoutUnmet(watch);
  const moved = result === 'no_sale' ? withoutSale(watch, cause) : move(watch, result, cause);
  const { position, unmet } =
    result === 'no_sale' ? { position: sideWithoutSale(watch), unmet: undefined } : result;
  if (moved === watch && position === watch.position && unmet === watch.unmet) return watch;
  const { position: _stood, unmet: _lacked, ...rest } = moved;
  return {
    ...rest,
    ...(position === undefined ? {} : { position }),
    ...(unmet === undefined ? {} : { unmet }),
    evaluatedSeq: seq ?? moved.evaluatedSeq,
    ...(isDerived(watch) ? { evaluatedUntil: cause.time } : {}),
  };
}

/** Nothing stands against a band any more; a line to be crossed keeps the side it was last seen from. */
function sideWithoutSale({ ruleCondition, position }: Watch): Watch['position'] {
  return ruleCondition.condition.when === 'crosses' ? position : undefined;
}

/**
 * If it is unknown whether all conditions hold, none is known not to hold: the awaited one may hold
 * by now, and the next observation of any part may complete them.
 */
function withoutUnmet(watch: Watch): Watch {
  if (watch.unmet === undefined) return watch;
  const { unmet: _stale, position: _itsSide, ...rest } = watch;
  return rest;
}

function hasExpired({ expiresAt }: Watch, instant: Instant): boolean {
  return expiresAt !== undefined && instant >= expiresAt;
}

function isLate(dataTime: Instant, { now, cadenceMinutes }: EvaluationTime): boolean {
  return now - dataTime > 2 * cadenceMinutes * MINUTE + VENDOR_DELAY;
}

/** Whether a watch needs more than the newest price of one part. */
function isDerived(watch: Watch): boolean {
  return partsOfWatch(watch).length > 1 || lookBackOf(watch) > 0;
}
