import type { AlertKind, RuleAlert } from '#shared/domain/alerting/alert.ts';
import { defined } from '#shared/domain/defined.ts';
import type { Decimal } from '#shared/domain/market/decimal.ts';
import { HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { Point } from '#shared/domain/market/point.ts';
import { windowOf } from '#shared/domain/metrics/metric.ts';
import { omit } from '#shared/domain/omit.ts';
import { clausesIn, type RuleCondition } from '#shared/domain/rules/alert-rule.ts';
import type { ReadStep } from '#shared/domain/timeline/timeline.ts';
import type { Cause, Closing } from './cause.ts';
import { describeAlert, firstValue } from './describe-alert.ts';
import {
  floorSeriesOf,
  hasMoved,
  knownAt,
  measureAt,
  type Past,
  recordedIn,
  stepSeriesOfMetric,
  windowEndOf,
} from './known-at-step.ts';
import { type Known, type Result, ruleResult } from './result.ts';
import {
  isEpisodeOpen,
  isGoing,
  nextReminder,
  nextStep,
  seriesOfWatch,
  type Watch,
  type WatchState,
  wakeAt,
} from './watch.ts';

/** A watch after an evaluation, and its new alerts. */
export type Next = { readonly watch: Watch; readonly alerts: readonly RuleAlert[] };

/** The time of an evaluation, and the cadence that decides whether an alert is late. */
export type EvaluationTime = { readonly now: Instant; readonly cadenceMinutes: number };

/** One evaluation of a watch, by a step or by the clock. */
export type Moment = {
  readonly at: Instant;
  /** The data time: the time of the newest point for the watch; without a new point, `at`. */
  readonly time: Instant;
  /** Start of a state that begins now; never before the creation of the watch. */
  readonly since: Instant;
  /** When the data were requested. An episode that begins now skips reminders up to this time. */
  readonly asked: Instant;
  readonly result: Result;
  /** Whether there is a new point for the watch. */
  readonly isNews: boolean;
  /** Whether this evaluation may begin an episode, worsen it, or cross a line. */
  readonly isEvent: boolean;
  /**
   * Timers up to this time take effect, because every price series of the watch has an answer that
   * was requested at this time or later.
   */
  readonly answeredAt: Instant;
  /** The content of an alert with the given data time. */
  readonly causeAt: (time: Instant) => Cause;
};

/**
 * Evaluates a watch at a step (`rules/README.md` defines the behaviour). The result depends only on
 * the rule, the step and, for windows, the recorded prices.
 */
export function next(watch: Watch, step: ReadStep, past: Past, time: EvaluationTime): Next {
  if (!isGoing(watch) || !concerns(watch, step)) return { watch, alerts: [] };
  const result = resultAt(watch, step, past);
  if (isInDoubt(watch, step, past, result)) {
    const passedAt = Math.min(step.at, answeredFor(watch, step));
    return { watch: withoutPassedReminder(watch, passedAt), alerts: [] };
  }
  return transition(watch, momentOf(watch, step, past, result, time));
}

/**
 * Whether a step may change a watch: it has a new point, a timer has passed, or the window of an
 * open episode has moved.
 */
function concerns(watch: Watch, step: ReadStep): boolean {
  const answeredAt = answeredFor(watch, step);
  if (watch.state === 'unknown') return answeredAt > watch.since;
  if (isNewsFor(watch, step)) return true;
  const timer = wakeAt(watch);
  if (timer !== undefined && timer <= Math.min(step.at, answeredAt)) return true;
  return !step.forTimers && isEpisodeOpen(watch) && hasWindow(watch);
}

function isNewsFor(watch: Watch, { points }: ReadStep): boolean {
  return priceSeries(watch).some((name) => points[name] !== undefined);
}

/**
 * The time until which the data of a watch are complete: the earliest request time among the last
 * answers about its price series.
 */
export function answeredFor(watch: Watch, { answeredAt }: ReadStep): Instant {
  return Math.min(...seriesOfWatch(watch).map((series) => answeredAt[series] ?? 0));
}

function priceSeries({ ruleCondition }: Watch) {
  const floors = floorSeriesOf(ruleCondition);
  return clausesIn(ruleCondition).flatMap(({ metric }) => stepSeriesOfMetric(metric, floors));
}

function hasWindow({ ruleCondition }: Watch): boolean {
  return clausesIn(ruleCondition).some(({ metric }) => windowOf(metric) !== undefined);
}

function resultAt({ ruleCondition }: Watch, step: ReadStep, past: Past): Result {
  const floors = floorSeriesOf(ruleCondition);
  const measures = clausesIn(ruleCondition).map((clause) => measureAt(clause, step, past, floors));
  return ruleResult(ruleCondition, measures);
}

/**
 * Whether an unconfirmed suspect makes the result uncertain: the result would differ if the suspect
 * were the accepted floor.
 */
function isInDoubt(watch: Watch, step: ReadStep, past: Past, result: Result): boolean {
  const { ruleCondition } = watch;
  const { reported, floor } = step.reading;
  const goesByAccepted =
    floorSeriesOf(ruleCondition) === 'floor' && seriesOfWatch(watch).includes('floor');
  if (!goesByAccepted || reported === undefined || step.points.floor !== undefined) return false;
  if (reported.time === floor?.time && !isSuspectOf(step)) return false;
  const taken = resultAt(watch, takenStep(step, reported), past);
  return !isSameResult(ruleCondition, result, taken);
}

/** The step with its suspect as the accepted floor. */
function takenStep(step: ReadStep, suspect: Point): ReadStep {
  const taken: ReadStep = TAKEN.get(step) ?? {
    ...step,
    reading: { ...step.reading, floor: suspect },
    points: step.points.reported === undefined ? step.points : { ...step.points, floor: suspect },
  };
  TAKEN.set(step, taken);
  return taken;
}

/**
 * Cache of the results of `takenStep`. All watches share these steps, and therefore the values
 * measured at them.
 */
const TAKEN = new WeakMap<ReadStep, ReadStep>();

/** Whether the newest reported floor differs from the newest accepted one. */
function isSuspectOf({ reading: { reported, floor } }: ReadStep): boolean {
  if (reported?.kind !== 'price' || floor?.kind !== 'price') return reported?.kind !== floor?.kind;
  return (
    reported.time !== floor.time ||
    reported.price !== floor.price ||
    reported.currency !== floor.currency
  );
}

function isSameResult({ condition }: RuleCondition, one: Result, other: Result): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other;
  if (condition.when === 'crosses') return one.position === other.position;
  return one.beyond === other.beyond && one.recovered === other.recovered;
}

/** A provider may return hourly data from an hour-old cache. Such data are not late. */
const VENDOR_DELAY = HOUR;

function momentOf(
  watch: Watch,
  step: ReadStep,
  past: Past,
  result: Result,
  { now, cadenceMinutes }: EvaluationTime,
): Moment {
  const { ruleCondition } = watch;
  const floors = floorSeriesOf(ruleCondition);
  const times = priceSeries(watch).flatMap((name) => step.points[name]?.time ?? []);
  const time = times.length === 0 ? step.at : Math.max(...times);
  // An alert reports the value of the first condition. It has a previous value only if the step has
  // a new point for that condition.
  const isOfFirst = stepSeriesOfMetric(ruleCondition.metric, floors).some(
    (name) => step.points[name] !== undefined,
  );
  const isMove = clausesIn(ruleCondition).some((clause) => hasMoved(clause, step, floors));
  return {
    at: step.at,
    time,
    since: times.length === 0 ? step.at : Math.max(time, watch.since),
    asked: step.asked,
    result,
    isNews: times.length > 0,
    isEvent: !hasWindow(watch) || isMove || watch.state === 'unknown',
    answeredAt: Math.min(step.at, answeredFor(watch, step)),
    causeAt: (dataTime) => ({
      ...measuredBy(watch, step, step.reading, past),
      time: dataTime,
      ...(isOfFirst ? { before: measuredBy(watch, step, step.before, past) } : {}),
      ...heldBackBy(step, floors),
      // The first price of a new watch may be old, but the watch has missed nothing.
      late:
        watch.state !== 'unknown' && now - dataTime > 2 * cadenceMinutes * MINUTE + VENDOR_DELAY,
      now,
      all: recordedIn(past, floors),
    }),
  };
}

/** The prices from which all conditions of a rule are measured, and the end of their windows. */
export function measuredBy(
  { ruleCondition }: Watch,
  step: ReadStep,
  reading: ReadStep['reading'],
  past: Past,
) {
  const floors = floorSeriesOf(ruleCondition);
  const windowEnd = windowEndOf(step, floors) - (reading === step.reading ? 0 : 1);
  const known = clausesIn(ruleCondition).flatMap((clause) => [
    ...knownAt(clause, reading, past, floors, windowEnd),
  ]);
  // If several conditions use one series, the alert describes the longest window.
  const longest = known.toSorted(([, one], [, other]) => one.length - other.length);
  return { known: new Map(longest), windowEnd };
}

/** The suspect that a step confirms or refutes. */
function heldBackBy(step: ReadStep, floors: string): Pick<Cause, 'heldBack'> {
  const [outlier, stood] = [step.before.reported, step.before.floor];
  const { floor } = step.points;
  if (floors !== 'floor' || floor === undefined || outlier?.kind !== 'price') return {};
  if (stood?.kind !== 'price' || !isSuspectOf({ ...step, reading: step.before })) return {};
  const isConfirmed =
    floor.kind === 'price' && floor.time === outlier.time && floor.price === outlier.price;
  return { heldBack: { outlier, stood, isConfirmed } };
}

/** The only function that changes the state of a watch because of a value. */
export function transition(watch: Watch, moment: Moment): Next {
  const { result, at } = moment;
  if (result === 'unknown') return { watch: withoutValue(watch, moment), alerts: [] };
  const begun = watch.state === 'unknown' ? begin(watch, moment) : { watch, alerts: [] };
  const placed = { ...begun, watch: withPosition(begun.watch, moment) };
  if (result === 'no_sale') return withoutSale(placed, moment);
  if (watch.ruleCondition.condition.when === 'crosses') return cross(placed, watch, moment);
  const { state } = placed.watch;
  switch (state) {
    case 'unknown':
    case 'ended':
      return placed;
    case 'disarmed':
      return result.beyond ? placed : entering(placed, 'ok', moment.since);
    case 'ok':
    case 'pending':
      return rise(placed, result, moment);
    case 'recovering':
      if (!result.recovered) return goOn(entering(placed, 'firing', moment.since), result, moment);
      return hasHeld(watch, watch.ruleCondition.keepFor, moment)
        ? recover(placed, moment, at)
        : placed;
    case 'firing':
      if (!result.recovered) return goOn(placed, result, moment);
      return watch.ruleCondition.keepFor === undefined
        ? recover(placed, moment, moment.time)
        : entering(placed, 'recovering', moment.since);
  }
}

/** Starts a watch with its first value. */
function begin(watch: Watch, moment: Moment): Next {
  const known = withFirstValue(watch, moment);
  const { arm } = watch.ruleCondition;
  const isBeyond = typeof moment.result === 'object' && moment.result.beyond;
  return entering(known, arm === 'cross' && isBeyond ? 'disarmed' : 'ok', moment.since);
}

/** Reports the first value if the watch has an open alert about a missing first value. */
function withFirstValue(watch: Watch, moment: Moment): Next {
  if (watch.noValueSince === undefined) return { watch, alerts: [] };
  return endNoValue(watch, 'fresh', moment.causeAt(moment.time));
}

/**
 * Applies an unknown value: the wait of `for` ends, the wait of `keepFor` restarts, and due
 * reminders are skipped.
 */
function withoutValue(watch: Watch, { answeredAt, since }: Moment): Watch {
  const rest = omit(watch, 'position', 'unmet');
  const keepsSide = watch.ruleCondition.condition.when === 'crosses';
  const unplaced = keepsSide ? watch : rest;
  const isPlaced = watch.position !== undefined || watch.unmet !== undefined;
  const known = isPlaced ? unplaced : watch;
  switch (watch.state) {
    case 'pending':
      return watch.recentSamples === undefined ? inState(known, 'ok', since) : known;
    case 'recovering':
      return withoutPassedReminder(inState(known, 'firing', since), answeredAt);
    case 'firing':
      return withoutPassedReminder(known, answeredAt);
    case 'unknown':
    case 'ok':
    case 'disarmed':
    case 'ended':
      return known;
  }
}

/** If no sale is left in the window, no condition on sales holds, neither `below` nor `above`. */
function withoutSale(known: Next, moment: Moment): Next {
  const { watch } = known;
  if (isEpisodeOpen(watch)) return recover(known, moment, moment.time);
  return watch.state === 'ok' && watch.recentSamples === undefined
    ? known
    : entering(known, 'ok', moment.since);
}

/**
 * Sends one alert for each crossing. A value on the line still counts as being on the side from
 * which it came. Only a change of the price can be a crossing.
 */
function cross(placed: Next, before: Watch, moment: Moment): Next {
  const { position } = placed.watch;
  const from = before.position;
  const isCrossed = moment.isEvent && from !== undefined && from !== 'within' && position !== from;
  if (!isCrossed) return placed;
  return say({ ...placed, watch: { ...placed.watch, stateSince: moment.since } }, 'fired', moment);
}

/** Begins an episode: at once, after `for`, or after enough points beyond the line. */
function rise(known: Next, { beyond }: Known, moment: Moment): Next {
  const { watch } = known;
  const { confirm } = watch.ruleCondition;
  if (confirm !== undefined) {
    return moment.isNews ? count(known, confirm, beyond, moment) : known;
  }
  if (!beyond) return watch.state === 'pending' ? entering(known, 'ok', moment.since) : known;
  const wait = watch.ruleCondition.for;
  if (watch.state === 'pending') {
    return hasHeld(watch, wait, moment) ? fire(known, moment, 'timer') : known;
  }
  if (!moment.isEvent) return known;
  if (wait !== undefined) return entering(known, 'pending', moment.since);
  return fire(known, moment, 'point');
}

/** Counts points of different times. A revision replaces the point that it revises. */
function count(
  known: Next,
  { times, of }: { readonly times: number; readonly of: number },
  beyond: boolean,
  moment: Moment,
): Next {
  const { watch } = known;
  const others = (watch.recentSamples ?? []).filter(({ time }) => time !== moment.time);
  const recentSamples = [...others, { time: moment.time, beyond }].slice(-of);
  const beyonds = recentSamples.filter((one) => one.beyond).length;
  if (beyond && beyonds >= times) {
    return moment.isEvent ? fire(known, moment, 'point') : entering(known, 'ok', moment.since);
  }
  if (beyonds === 0) return watch.state === 'ok' ? known : entering(known, 'ok', moment.since);
  const pending = watch.state === 'pending' ? known : entering(known, 'pending', moment.since);
  return { ...pending, watch: { ...pending.watch, recentSamples } };
}

/** Whether a watch has been in its state for at least this span. */
function hasHeld({ stateSince = 0 }: Watch, span = 0, { answeredAt }: Moment): boolean {
  return answeredAt - stateSince >= span;
}

/**
 * Begins an episode: at the time of the step if `for` has ended, otherwise at the time of the
 * point.
 */
function fire(known: Next, moment: Moment, by: 'point' | 'timer'): Next {
  const firedAt = by === 'timer' ? moment.at : moment.since;
  const fired = entering(known, 'firing', firedAt);
  const episode = { episode: fired.watch.episode + 1, firedAt };
  const time = by === 'timer' ? moment.at : moment.time;
  const reported = say({ ...fired, watch: { ...fired.watch, ...episode } }, 'fired', moment, time);
  return { ...reported, watch: withoutPassedReminder(reported.watch, moment.asked) };
}

/** Continues an episode, and reports if it worsened or if a reminder is due. */
function goOn(known: Next, { beyond, value }: Known, moment: Moment): Next {
  const further = beyond && moment.isEvent ? worsen(known, value, moment) : known;
  const reminder = nextReminder(further.watch);
  if (reminder === undefined || reminder > moment.answeredAt) return further;
  const reported = say(further, 'reminder', moment, moment.at);
  return { ...reported, watch: withoutPassedReminder(reported.watch, moment.at) };
}

function worsen(known: Next, value: Decimal | undefined, moment: Moment): Next {
  const step = nextStep(known.watch);
  if (step === undefined || value === undefined) return known;
  const isFurther =
    known.watch.ruleCondition.condition.when === 'below' ? value <= step : value >= step;
  if (!isFurther) return known;
  const reported = say(known, 'worsened', moment);
  return { ...reported, watch: withoutPassedReminder(reported.watch, moment.at) };
}

function recover(known: Next, moment: Moment, time: Instant): Next {
  return over(known, 'recovered', moment.causeAt(time), time);
}

/** Ends the episode. The watch of a `once` rule then has the state `ended`. */
function over(known: Next, kind: 'recovered' | 'closed', cause: Cause, time: Instant): Next {
  const { repeatPolicy, presentation } = known.watch;
  const resting = entering(known, repeatPolicy.repeat === 'once' ? 'ended' : 'ok', time);
  const reported = presentation.notifyRecovery
    ? sayWith(
        { ...resting, watch: { ...resting.watch, firedAt: known.watch.firedAt ?? time } },
        kind,
        cause,
      )
    : resting;
  const idle = omit(reported.watch, 'firedAt', 'lastReported', 'remindedAt');
  return { ...reported, watch: idle };
}

/**
 * Closes and reports an open episode that is no longer watched. Without the report, its incident in
 * a paging service would stay open forever.
 */
export function close(
  watch: Watch,
  why: Closing,
  { time, now }: { readonly time: Instant; readonly now: Instant },
): Next {
  const nothing = { known: new Map(), windowEnd: time, all: new Map() };
  const cause: Cause = { ...nothing, time, late: false, now, closing: why };
  if (watch.noValueSince !== undefined) return endNoValue(watch, 'closed', cause);
  const open = { watch, alerts: [] };
  return isEpisodeOpen(watch) ? over(open, 'closed', cause, time) : open;
}

/** Reports that the watch has never had a value. */
export function reportNoValue(watch: Watch, cause: Cause): Next {
  return sayWith({ watch: { ...watch, noValueSince: cause.time }, alerts: [] }, 'stale', cause);
}

function endNoValue(watch: Watch, kind: 'closed' | 'fresh', cause: Cause): Next {
  const known = { watch, alerts: [] };
  const reported = watch.presentation.notifyRecovery ? sayWith(known, kind, cause) : known;
  const rest = omit(reported.watch, 'noValueSince');
  return { ...reported, watch: rest };
}

/**
 * Records the position of the value and the unmet condition. Both decide the index entries of the
 * watch.
 */
function withPosition(watch: Watch, moment: Moment): Watch {
  const { position, unmet } = positionAt(watch, moment);
  if (position === watch.position && unmet === watch.unmet) return watch;
  const rest = omit(watch, 'position', 'unmet');
  return {
    ...rest,
    ...defined({ position, unmet }),
  };
}

/**
 * The new position of the value. A value on the line of `crosses` keeps the side from which it
 * came. In the state `ok`, the position changes only if the price moves and, with `confirm`, only
 * at a step that is counted. Until then, the watch keeps its entry in the threshold index, so that
 * the lookup for the move that fires the rule still finds the watch.
 */
function positionAt(
  watch: Watch,
  { result, isEvent, isNews }: Moment,
): Pick<Known, 'position' | 'unmet'> {
  const isCrossing = watch.ruleCondition.condition.when === 'crosses';
  if (typeof result === 'string') return isCrossing ? { position: watch.position } : {};
  const { position, unmet } = result;
  const isCounted = isNews || watch.ruleCondition.confirm === undefined;
  // The position belongs to the unmet condition, so the two change together.
  if (watch.state === 'ok' && !(isEvent && isCounted)) {
    return { position: watch.position, unmet: watch.unmet };
  }
  const isOnLine = isCrossing && position === 'within';
  return { position: isOnLine ? (watch.position ?? position) : position, unmet };
}

function entering(known: Next, state: WatchState, time: Instant): Next {
  return { ...known, watch: inState(known.watch, state, time) };
}

function inState(watch: Watch, state: WatchState, time: Instant): Watch {
  const rest = omit(watch, 'recentSamples');
  return { ...rest, state, stateSince: time };
}

/** Skips reminders that were due up to this time. */
function withoutPassedReminder(watch: Watch, at: Instant): Watch {
  const reminder = nextReminder(watch);
  return reminder === undefined || reminder > at ? watch : { ...watch, remindedAt: at };
}

function say(known: Next, kind: AlertKind, moment: Moment, time = moment.time): Next {
  return sayWith(known, kind, moment.causeAt(time));
}

function sayWith({ watch, alerts }: Next, kind: AlertKind, cause: Cause): Next {
  const n = watch.alerts + 1;
  const value = firstValue(watch, cause);
  // `steps` counts from `lastReported`. Reminders do not change it, and the value of a `fresh`
  // alert belongs to no episode.
  const isNews = kind !== 'reminder' && kind !== 'fresh' && value !== undefined;
  const reported = isNews ? { lastReported: value } : {};
  return {
    watch: { ...watch, ...reported, alerts: n },
    alerts: [...alerts, describeAlert(watch, kind, n, cause)],
  };
}
