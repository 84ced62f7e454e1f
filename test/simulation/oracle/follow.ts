import { expire, next } from './law.ts';
import type { Observation, StepRecord } from './points.ts';
import { isOfClock, type OracleRule } from './rule.ts';
import { isOver, nextTimer, type Transition, type WatchState } from './watch.ts';

/**
 * Evaluates a watch at the steps of one answered poll, in their order. A rule ends with the last
 * step of a poll, so a partly evaluated poll does not end it.
 */
export function follow(
  rule: OracleRule,
  watch: WatchState,
  observations: readonly Observation[],
  isWhole = true,
): Transition {
  let followed: Transition = { watch, alerts: [] };
  if (isOfClock(rule)) return followed;
  const seen = watch.status === 'unknown' ? atOnce(observations) : observations;
  for (const observation of seen) {
    if (!isForWatch(rule, followed.watch, observation.step)) continue;
    const { watch: moved, alerts } = next(rule, followed.watch, observation);
    followed = { watch: moved, alerts: [...followed.alerts, ...alerts] };
  }
  const last = observations.at(-1)?.step;
  return isWhole && last !== undefined && endsRule(rule, followed.watch, last)
    ? end(rule, followed, last)
    : followed;
}

/** Merges the steps of a poll for a new watch, which did not exist at the earlier steps. */
function atOnce(observations: readonly Observation[]): readonly Observation[] {
  const changes = observations.filter(({ step }) => step.forTimers !== true);
  const [first, last] = [changes.at(0), changes.at(-1)];
  if (first === undefined || last === undefined) return observations;
  const points = Object.assign({}, ...changes.map(({ step }) => step.points));
  const whole = { ...last, step: { ...last.step, points }, readingBefore: first.readingBefore };
  return [whole, ...observations.filter(({ step }) => step.forTimers === true)];
}

/**
 * Skips steps after the end of a rule, and the step for timers unless a timer of the watch is due.
 */
function isForWatch(rule: OracleRule, watch: WatchState, step: StepRecord): boolean {
  if (rule.expiresAt !== undefined && step.at >= rule.expiresAt) return false;
  // The timer of a new watch is due at its creation.
  const passedAt = Math.min(step.at, ...rule.series.map((series) => step.answeredAt[series] ?? 0));
  const isDue = watch.status === 'unknown' || nextTimer(rule, watch) <= passedAt;
  return step.forTimers !== true || isDue;
}

/** A rule ends with the first answered poll at or after its `expiresAt`. */
function endsRule(
  { expiresAt, series }: OracleRule,
  watch: WatchState,
  { answeredAt }: StepRecord,
): boolean {
  if (expiresAt === undefined || isOver(watch)) return false;
  return series.every((name) => {
    const answered = answeredAt[name] ?? 0;
    return answered >= expiresAt && answered > watch.made;
  });
}

function end(rule: OracleRule, { watch, alerts }: Transition, step: StepRecord): Transition {
  const { asked, seq } = step;
  const ended = expire({
    ...{ rule, watch, alerts },
    occasion: {
      ...{ at: asked, asked, seq, dataTime: rule.expiresAt ?? asked },
      ...{ isNews: false, isEvent: false, answeredUntil: asked, canBeLate: true },
      ...{ previous: undefined, usd: undefined },
    },
  });
  return { watch: ended.watch, alerts: ended.alerts };
}
