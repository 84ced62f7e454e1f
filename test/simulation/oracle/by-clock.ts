/** Evaluation by the clock, at every poll, even without an answer. */

import { compare } from './evaluate.ts';
import { changed, type Evaluation, expire, move, say } from './law.ts';
import type { Instant, PriceSeriesName } from './points.ts';
import { isOfClock, type OracleRule } from './rule.ts';
import { isOver, type Transition, type WatchState } from './watch.ts';

const DAY = 86_400_000;

/** The health of a contract after the steps of a poll. */
export type Health = {
  readonly now: Instant;
  /** Time of the newest reported floor, including suspects. */
  readonly newestFloor: Instant | undefined;
  /** Price series that were answered at least once. */
  readonly answered: readonly PriceSeriesName[];
  /** Start of the time without a usable answer, by price series; undefined while it is answered. */
  readonly noDataSince: { readonly [Name in PriceSeriesName]?: Instant };
};

/** Evaluates a watch by the clock. */
export function passByClock(rule: OracleRule, watch: WatchState, health: Health): Transition {
  const { watch: passed, alerts } = pass(evaluationAt(rule, watch, health.now), health);
  return { watch: passed, alerts };
}

/**
 * The list ends a finished watch at the expiry of its rule, and any other watch a day later. A
 * watch that was edited after the expiry ends at once.
 */
export function passByList(rule: OracleRule, watch: WatchState, now: Instant): Transition {
  const { expiresAt } = rule;
  const isPast = isOver(watch) || (expiresAt !== undefined && watch.made >= expiresAt);
  const gracePeriod = isPast ? 0 : DAY;
  const isEnded = expiresAt !== undefined && now >= expiresAt + gracePeriod;
  if (!isEnded || watch.status === 'expired') return { watch, alerts: [] };
  const { watch: passed, alerts } = endAt(evaluationAt(rule, watch, now), expiresAt);
  return { watch: passed, alerts };
}

function evaluationAt(rule: OracleRule, watch: WatchState, now: Instant): Evaluation {
  return {
    ...{ rule, watch, alerts: [] },
    occasion: {
      ...{ at: now, asked: now, seq: undefined, dataTime: now },
      ...{ isNews: true, isEvent: true, answeredUntil: now, canBeLate: false },
      ...{ previous: undefined, usd: undefined },
    },
  };
}

function pass(evaluation: Evaluation, health: Health): Evaluation {
  const { rule, watch } = evaluation;
  if (watch.status === 'expired' || health.now <= watch.made) return evaluation;
  const { expiresAt } = rule;
  if (!isOfClock(rule)) return endWithoutAnswer(missFirstValue(evaluation));
  if (expiresAt === undefined || health.now < expiresAt) return count(evaluation, health);
  // A late evaluation uses the last millisecond before the expiry as its time.
  const moment = expiresAt - 1;
  const last = { at: moment, asked: moment, dataTime: moment, answeredUntil: moment };
  const before = { ...evaluation, occasion: { ...evaluation.occasion, ...last } };
  return endAt(count(before, { ...health, now: moment }), expiresAt);
}

function count(evaluation: Evaluation, health: Health): Evaluation {
  const { rule, watch } = evaluation;
  return isOver(watch)
    ? evaluation
    : move(evaluation, compare(rule, minutesWithoutData(evaluation, health)));
}

/** Minutes since the newest floor or the last answer, or else since the creation of the watch. */
function minutesWithoutData({ rule, watch }: Evaluation, health: Health): bigint {
  const from = countsFrom(rule, health) ?? watch.made;
  return (BigInt(Math.max(0, health.now - from)) * 10n ** 18n) / 60_000n;
}

function countsFrom({ clauses: [clause] }: OracleRule, health: Health): Instant | undefined {
  if (clause.family === 'data_age_minutes') return health.newestFloor;
  const [series] = clause.series;
  if (series === undefined) return undefined;
  return health.noDataSince[series] ?? (health.answered.includes(series) ? health.now : undefined);
}

/**
 * Sends `stale` if a watch is still unknown after a day, unless its rule expires within that day.
 */
function missFirstValue(evaluation: Evaluation): Evaluation {
  const { rule, watch, occasion } = evaluation;
  const time = watch.made + DAY;
  const isMissed = watch.status === 'unknown' && watch.alerts === 0 && occasion.at >= time;
  const endsBefore = rule.expiresAt !== undefined && rule.expiresAt <= time;
  if (!rule.reportsMissingValue || !isMissed || endsBefore) return evaluation;
  return say(changed(evaluation, { staleSince: time }), 'stale', { time });
}

/** Ends a rule a day after its expiry if no answer has ended it. */
function endWithoutAnswer(evaluation: Evaluation): Evaluation {
  const { expiresAt } = evaluation.rule;
  const isDue = expiresAt !== undefined && evaluation.occasion.at >= expiresAt + DAY;
  return isDue ? endAt(evaluation, expiresAt) : evaluation;
}

function endAt(evaluation: Evaluation, dataTime: Instant): Evaluation {
  return expire({ ...evaluation, occasion: { ...evaluation.occasion, dataTime } });
}
