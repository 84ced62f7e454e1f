/**
 * The law of a watch: one rule, one state, one step. The law is written from the design, not from
 * the product, and favors plain code over speed.
 */

import { evaluate, isInDoubt, pricesAt, type Result } from './evaluate.ts';
import { hasMoved, measure } from './metrics.ts';
import type { Instant, Observation } from './points.ts';
import {
  hasWindow,
  isClockFamily,
  isCrossing,
  isPercentage,
  lineFor,
  type OracleRule,
  seriesNames,
} from './rule.ts';
import {
  type ExpectedAlert,
  isInEpisode,
  isOver,
  nextReminder,
  nextTimer,
  type Transition,
  type WatchState,
} from './watch.ts';

/** Input of one evaluation, from a step or from the clock. */
type Occasion = {
  readonly at: Instant;
  /** Time of the request to the provider. */
  readonly asked: Instant;
  readonly seq: number | undefined;
  /** Time of the newest point for the watch, or of the evaluation if there is no new point. */
  readonly dataTime: Instant;
  /** Whether the step has a new point for the watch. */
  readonly isNews: boolean;
  /**
   * Whether the value may begin an episode. For a rule with a window, the price must have changed.
   */
  readonly isEvent: boolean;
  /** Time up to which all series of the rule are answered. Timers expire only up to this time. */
  readonly answeredUntil: Instant;
  /** False for the first evaluation of a watch and for the clock, whose alerts are never late. */
  readonly canBeLate: boolean;
  readonly previous: bigint | undefined;
  readonly usd: bigint | undefined;
};

/** An evaluation in progress. */
export type Evaluation = Transition & { readonly rule: OracleRule; readonly occasion: Occasion };

type Known = Extract<Result, { is: 'known' }>;

const HUNDRED_PERCENT = 100n * 10n ** 18n;

/** Evaluates one step. */
export function next(rule: OracleRule, watch: WatchState, observation: Observation): Transition {
  const occasion = occasionOf(rule, watch, observation);
  const evaluation: Evaluation = { rule, occasion, watch, alerts: [] };
  if (isOver(watch) || !isConcerned(evaluation)) return { watch, alerts: [] };
  const result = evaluate(rule, pricesAt(rule, observation));
  const { watch: moved, alerts } = isInDoubt(rule, observation, result)
    ? skipReminders(evaluation)
    : move(evaluation, result);
  return { watch: moved, alerts };
}

function occasionOf(rule: OracleRule, watch: WatchState, observation: Observation): Occasion {
  const { step, readingBefore, reading } = observation;
  const { at, asked, seq, points, answeredAt } = step;
  const [first] = rule.clauses;
  const [shown] = seriesNames(rule, first);
  const times = rule.clauses
    .flatMap((clause) => seriesNames(rule, clause))
    .flatMap((name) => points[name]?.time ?? []);
  const isMoved = rule.clauses.some((clause) => hasMoved(rule, clause, readingBefore, points));
  const point = shown === undefined ? undefined : reading[shown];
  return {
    ...{ at, asked, seq },
    dataTime: times.length > 0 ? Math.max(...times) : at,
    isNews: times.length > 0,
    isEvent: isMoved || !hasWindow(rule) || watch.status === 'unknown',
    answeredUntil: Math.min(...rule.series.map((series) => answeredAt[series] ?? 0)),
    canBeLate: watch.status !== 'unknown',
    previous: previousValue(rule, observation),
    usd: point?.kind === 'price' ? point.usd : undefined,
  };
}

/** The value of the first clause before the step; undefined if the step has no point for it. */
function previousValue(rule: OracleRule, observation: Observation): bigint | undefined {
  const { step, readingBefore, floors } = observation;
  const [first] = rule.clauses;
  const brought = seriesNames(rule, first).filter((name) => step.points[name] !== undefined);
  if (brought.length === 0) return undefined;
  const floor = readingBefore[rule.floorSeries];
  const windowEnd = floor?.time ?? step.at;
  const recorded = floors[rule.floorSeries].filter(({ time }) => time <= windowEnd);
  const { completeSince } = floors;
  const before = { floor, reading: readingBefore, floors: recorded, completeSince, windowEnd };
  const value = measure(first, before);
  return typeof value === 'bigint' ? value : undefined;
}

/**
 * Whether a step concerns the watch: it has a new point for the watch, or a timer is due. In an
 * episode of a rule with a window, every step concerns the watch, because the window moves.
 */
function isConcerned({ rule, watch, occasion }: Evaluation): boolean {
  if (watch.status === 'unknown') return occasion.answeredUntil > watch.made;
  const isDue = nextTimer(rule, watch) <= passedAt(occasion);
  return occasion.isNews || isDue || (hasWindow(rule) && isInEpisode(watch));
}

/** Applies a result to a watch. */
export function move(evaluation: Evaluation, result: Result): Evaluation {
  if (evaluation.watch.status === 'unknown') return start(evaluation, result);
  if (isCrossing(evaluation.rule)) return cross(evaluation, result);
  switch (result.is) {
    case 'unknown':
      return loseValue(evaluation);
    case 'no_sale':
      return loseSales(evaluation);
    case 'known':
      return compareValue(evaluation, result);
  }
}

function compareValue(evaluation: Evaluation, result: Known): Evaluation {
  switch (evaluation.watch.status) {
    case 'ok':
      return begin(evaluation, result);
    case 'disarmed':
      return result.isBeyond ? evaluation : enter(evaluation, 'ok');
    case 'pending':
      return holdCondition(evaluation, result);
    case 'firing':
      return continueEpisode(widen(evaluation, result), result);
    case 'recovering':
      return holdRecovery(widen(evaluation, result), result);
    case 'unknown':
    case 'ended':
    case 'expired':
      return evaluation;
  }
}

/** The first value counts as a changed price, so a watch may fire at once. */
function start(evaluation: Evaluation, result: Result): Evaluation {
  if (result.is === 'unknown') return evaluation;
  const { rule } = evaluation;
  const started = enter(meetFirstValue(evaluation, result), 'ok');
  const isBeyondAtStart = result.is === 'known' && result.isBeyond;
  const isDisarmed = rule.arm === 'cross' && isBeyondAtStart && !isCrossing(rule);
  return isDisarmed ? enter(started, 'disarmed') : move(started, result);
}

function meetFirstValue(evaluation: Evaluation, result: Result): Evaluation {
  if (evaluation.watch.staleSince === undefined) return evaluation;
  const met = changed(evaluation, { staleSince: undefined });
  const value = result.is === 'known' ? result.value : undefined;
  return evaluation.rule.notifyRecovery ? say(met, 'fresh', { value }) : met;
}

/** A value equal to the threshold is on the same side as the previous value. */
function cross(evaluation: Evaluation, result: Result): Evaluation {
  if (result.is !== 'known' || !evaluation.occasion.isEvent) return evaluation;
  const before = evaluation.watch.side;
  const side = sideOf(result) ?? before;
  const isCrossed = before !== undefined && side !== before;
  const crossed = changed(evaluation, { side });
  return isCrossed ? say(crossed, 'fired', { value: result.value }) : crossed;
}

function sideOf({ isBeyond, hasRecovered }: Known): 'under' | 'over' | undefined {
  if (isBeyond) return 'under';
  return hasRecovered ? 'over' : undefined;
}

/** An unknown value ends `for` and `keepFor`, because the price may have changed. */
function loseValue(evaluation: Evaluation): Evaluation {
  const { status } = evaluation.watch;
  if (status === 'pending') return enter(evaluation, 'ok');
  return skipReminders(status === 'recovering' ? enter(evaluation, 'firing') : evaluation);
}

/** Ends an episode without `keepFor`, because an empty sales window is a known, recovered state. */
function loseSales(evaluation: Evaluation): Evaluation {
  return isInEpisode(evaluation.watch)
    ? recover(evaluation, undefined, evaluation.occasion.dataTime)
    : changed(enter(evaluation, 'ok'), { recent: [] });
}

function begin(evaluation: Evaluation, result: Known): Evaluation {
  const { rule, occasion } = evaluation;
  if (rule.confirm !== undefined && !occasion.isNews) return evaluation;
  const { counted, isConfirmed } = count(evaluation, result);
  if (!isConfirmed || !occasion.isEvent) return counted;
  return rule.for > 0
    ? enter(counted, 'pending')
    : fire(counted, result, { from: sinceOf(counted), time: occasion.dataTime });
}

/** Counts points of different times. A revision replaces the point that it revises. */
function count(evaluation: Evaluation, { isBeyond }: Known) {
  const { confirm } = evaluation.rule;
  if (confirm === undefined) return { counted: evaluation, isConfirmed: isBeyond };
  const time = evaluation.occasion.dataTime;
  const others = evaluation.watch.recent.filter((point) => point.time !== time);
  const recent = [...others, { time, isBeyond }].slice(-confirm.of);
  const beyonds = recent.filter((point) => point.isBeyond).length;
  const isConfirmed = isBeyond && beyonds >= confirm.times;
  return { counted: changed(evaluation, { recent: isConfirmed ? [] : recent }), isConfirmed };
}

function holdCondition(evaluation: Evaluation, result: Known): Evaluation {
  const { rule, occasion, watch } = evaluation;
  if (!result.isBeyond) return enter(evaluation, 'ok');
  const { at } = occasion;
  const hasHeld = passedAt(occasion) - watch.since >= rule.for;
  return hasHeld ? fire(evaluation, result, { from: at, time: at }) : evaluation;
}

/** Starts an episode, and skips the reminders of the same poll. */
function fire(
  evaluation: Evaluation,
  { value }: Known,
  { from, time }: { readonly from: Instant; readonly time: Instant },
): Evaluation {
  const { watch, occasion } = evaluation;
  const fired = changed(evaluation, {
    ...{ status: 'firing', since: from, firedAt: from, lastReported: value },
    ...{ seen: new Map(value === undefined ? [] : [[from, value]]), episodes: watch.episodes + 1 },
  });
  return skipRemindersUntil(say(fired, 'fired', { value, time }), occasion.asked);
}

/** Ends an open episode, starts its recovery, or continues it. */
function continueEpisode(evaluation: Evaluation, result: Known): Evaluation {
  if (!result.hasRecovered) return remind(worsen(evaluation, result), result);
  const { rule, occasion } = evaluation;
  return rule.keepFor === 0
    ? recover(evaluation, result.value, occasion.dataTime)
    : enter(evaluation, 'recovering');
}

function holdRecovery(evaluation: Evaluation, result: Known): Evaluation {
  const { rule, occasion, watch } = evaluation;
  if (!result.hasRecovered) return continueEpisode(enter(evaluation, 'firing'), result);
  const { at } = occasion;
  const hasHeld = passedAt(occasion) - watch.since >= rule.keepFor;
  return hasHeld ? recover(evaluation, result.value, at) : evaluation;
}

/** A worsened alert replaces a due reminder. */
function worsen(evaluation: Evaluation, { value }: Known): Evaluation {
  const { occasion } = evaluation;
  const isStep = occasion.isEvent && isStepFurther(evaluation, value);
  if (!isStep) return evaluation;
  const worsened = say(changed(evaluation, { lastReported: value }), 'worsened', { value });
  return skipRemindersUntil(worsened, occasion.at);
}

function isStepFurther({ rule, watch }: Evaluation, value: bigint | undefined): boolean {
  const { lastReported } = watch;
  const [clause] = rule.clauses;
  if (rule.steps === undefined || value === undefined || lastReported === undefined) return false;
  const further = clause.when === 'below' ? lastReported - value : value - lastReported;
  if (isPercentage(clause)) return further >= rule.steps;
  const base = lastReported < 0n ? -lastReported : lastReported;
  return further > 0n && further * HUNDRED_PERCENT >= base * rule.steps;
}

function remind(evaluation: Evaluation, { value }: Known): Evaluation {
  const { rule, watch, occasion } = evaluation;
  const { at } = occasion;
  const isDue = nextReminder(rule, watch) <= passedAt(occasion);
  return isDue
    ? skipRemindersUntil(say(evaluation, 'reminder', { value, time: at }), at)
    : evaluation;
}

/** Skips missed reminders, which are not sent later. */
function skipReminders(evaluation: Evaluation): Evaluation {
  return skipRemindersUntil(evaluation, passedAt(evaluation.occasion));
}

/** The time up to which timers of a watch expire. */
function passedAt({ at, answeredUntil }: Occasion): Instant {
  return Math.min(at, answeredUntil);
}

function skipRemindersUntil(evaluation: Evaluation, moment: Instant): Evaluation {
  const { rule, watch } = evaluation;
  return nextReminder(rule, watch) <= moment
    ? changed(evaluation, { remindedAt: moment })
    : evaluation;
}

function recover(evaluation: Evaluation, value: bigint | undefined, time: Instant): Evaluation {
  const { rule } = evaluation;
  const said = rule.notifyRecovery ? say(evaluation, 'recovered', { value, time }) : evaluation;
  return endEpisode(said, rule.once ? 'ended' : 'ok');
}

/** Closes an open episode, or an open report of a missing value, at the end of its rule. */
export function expire(evaluation: Evaluation): Evaluation {
  const { rule, watch } = evaluation;
  const isOpen = isInEpisode(watch) || watch.staleSince !== undefined;
  const isSaid = isOpen && rule.notifyRecovery;
  const closed = isSaid ? say(evaluation, 'closed', {}) : evaluation;
  return endEpisode(changed(closed, { staleSince: undefined }), 'expired');
}

function endEpisode(evaluation: Evaluation, status: WatchState['status']): Evaluation {
  const reset = { firedAt: undefined, lastReported: undefined, remindedAt: undefined };
  return changed(evaluation, { status, ...reset, seen: new Map(), recent: [] });
}

/** Enters a status at the data time, or at the creation of the watch if that is later. */
function enter(evaluation: Evaluation, status: WatchState['status']): Evaluation {
  return changed(evaluation, { status, since: sinceOf(evaluation) });
}

function sinceOf({ watch, occasion: { isNews, dataTime, at } }: Evaluation): Instant {
  return isNews ? Math.max(dataTime, watch.made) : at;
}

/** Stores a value of an episode, because the recovery reports the extreme value. */
function widen(evaluation: Evaluation, { value }: Known): Evaluation {
  const { watch, occasion } = evaluation;
  const { seen, firedAt = 0 } = watch;
  // Points with a data time before the start are ignored.
  if (value === undefined || occasion.dataTime < firedAt) return evaluation;
  return changed(evaluation, { seen: new Map([...seen, [occasion.dataTime, value]]) });
}

/** The extreme of an episode, including the last reported value, even if that was revised. */
function extremeOf(rule: OracleRule, { seen, lastReported }: WatchState): bigint | undefined {
  if (!hasExtreme(rule)) return undefined;
  const isFurther = (one: bigint, than: bigint) =>
    rule.clauses[0].when === 'below' ? one < than : one > than;
  return [...seen.values()].reduce(
    (far, value) => (far === undefined || isFurther(value, far) ? value : far),
    lastReported,
  );
}

/**
 * Times without an offer are not recorded, so the extreme of a spread is unknown. The deviation
 * from an average can have its extreme between two steps.
 */
function hasExtreme({ clauses }: OracleRule): boolean {
  const [{ when, family }] = clauses;
  if (family === 'spread_pct' || family === 'floor_vs_average_pct') return false;
  const isLimit = when === 'below' || when === 'above';
  return clauses.length === 1 && isLimit && !isClockFamily(family);
}

type Said = { readonly value?: bigint | undefined; readonly time?: Instant };

export function say(
  evaluation: Evaluation,
  kind: ExpectedAlert['kind'],
  { value, time = evaluation.occasion.dataTime }: Said,
): Evaluation {
  const { rule, watch, occasion, alerts } = evaluation;
  const { at, seq, previous, usd, canBeLate } = occasion;
  const { firedAt, episodes } = watch;
  const isOfEpisode = firedAt !== undefined && kind !== 'fired';
  const alert: ExpectedAlert = {
    ...{ kind, value, time, at, seq, episode: episodes },
    newsAt: canBeLate ? time : undefined,
    previous,
    line: lineFor(rule, value),
    usd: value === undefined ? undefined : usd,
    lasted: isOfEpisode ? Math.max(0, time - firedAt) : undefined,
    extreme: kind === 'recovered' ? extremeOf(rule, watch) : undefined,
  };
  return {
    ...evaluation,
    watch: { ...watch, alerts: watch.alerts + 1 },
    alerts: [...alerts, alert],
  };
}

export function changed(evaluation: Evaluation, change: Partial<WatchState>): Evaluation {
  return { ...evaluation, watch: { ...evaluation.watch, ...change } };
}
