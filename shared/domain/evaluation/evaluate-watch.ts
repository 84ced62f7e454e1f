import { defined } from '#shared/domain/defined.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { earliest } from '#shared/domain/market/instant.ts';
import { isClock, seriesOfMetric } from '#shared/domain/metrics/metric.ts';
import type { Series } from '#shared/domain/metrics/prices.ts';
import {
  type ContractRecord,
  GRACE_PERIOD_AFTER_END,
  newestOf,
} from '#shared/domain/polling/contract-record.ts';
import type { ReadStep } from '#shared/domain/timeline/timeline.ts';
import type { Past } from './known-at-step.ts';
import {
  answeredFor,
  close,
  type EvaluationTime,
  type Next,
  next,
  reportNoValue,
  transition,
} from './law.ts';
import { measuredClausesOf } from './measured-clause.ts';
import { causeByClock } from './present.ts';
import { ruleResult } from './result.ts';
import { countedFrom, minutesSince, type Snapshot } from './snapshot.ts';
import {
  firstValueDueAt,
  isGoing,
  nextTimer,
  ruleEnd,
  seriesOfWatch,
  type Watch,
} from './watch.ts';
import { healthOf } from './watch-health.ts';

/**
 * Evaluates a watch once at each new step, in order. Returns the same watch if nothing changes.
 * Stops after `most` alerts, and then sets `isPartial`.
 */
export function evaluateSteps(
  watch: Watch,
  steps: readonly ReadStep[],
  past: Past,
  time: EvaluationTime,
  most = Number.POSITIVE_INFINITY,
): Next & { readonly isPartial?: true } {
  if (watch.admin !== 'enabled' || isClock(watch.ruleCondition.metric)) return still(watch);
  const left = steps.filter(({ seq }) => seq > watch.evaluatedSeq);
  let known = still(watch);
  for (const poll of Map.groupBy(left, ({ asked }) => asked).values()) {
    for (const step of known.watch.state === 'unknown' ? asOne(poll) : poll) {
      if (hasExpired(known.watch, step.at)) break;
      if (known.alerts.length >= most) {
        const evaluated = left.findLast(({ seq }) => seq < step.seq)?.seq ?? watch.evaluatedSeq;
        return { ...known, watch: { ...known.watch, evaluatedSeq: evaluated }, isPartial: true };
      }
      known = then(known, next(known.watch, step, past, time));
    }
    known = then(known, expired(known.watch, poll.at(-1), time));
  }
  if (known.watch === watch) return known;
  const evaluatedSeq = Math.max(watch.evaluatedSeq, left.at(-1)?.seq ?? 0);
  return { ...known, watch: { ...known.watch, evaluatedSeq } };
}

/**
 * Merges the steps of a poll into one for a new watch. The watch starts with the newest values,
 * because the earlier prices are from before its creation.
 */
function asOne(poll: readonly ReadStep[]): readonly ReadStep[] {
  const news = poll.filter(({ forTimers }) => forTimers === undefined);
  const [first, last] = [news[0], news.at(-1)];
  if (first === undefined || last === undefined || first === last) return poll;
  const points = Object.assign({}, ...news.map((step) => step.points));
  const whole = { ...last, before: first.before, points };
  return [whole, ...poll.filter(({ forTimers }) => forTimers === true)];
}

/**
 * Ends a watch at the first answer that was requested at the rule's end or later, and closes an
 * open episode.
 */
function expired(watch: Watch, step: ReadStep | undefined, { now }: EvaluationTime): Next {
  const end = ruleEnd(watch);
  if (end === undefined || step === undefined) return still(watch);
  return answeredFor(watch, step) >= end ? atItsEnd(watch, end, now) : still(watch);
}

function atItsEnd(watch: Watch, end: Instant, now: Instant): Next {
  const closed = close(watch, 'expired', { time: end, now });
  return { ...closed, watch: { ...closed.watch, admin: 'expired' } };
}

/**
 * Evaluates everything that depends on the clock, whether or not the providers answer: metrics of
 * the clock, and a first value that has been missing for a day.
 */
export function evaluateByClock(watch: Watch, snapshot: Snapshot, now: Instant): Next {
  if (!isGoing(watch)) return still(watch);
  const end = ruleEnd(watch) ?? Number.POSITIVE_INFINITY;
  if (!isClock(watch.ruleCondition.metric)) {
    const known = awaitFirstValue(watch, snapshot, now);
    const isEnded = now >= end + GRACE_PERIOD_AFTER_END;
    return isEnded ? then(known, atItsEnd(known.watch, end, now)) : known;
  }
  // After the end of the rule, evaluate the last moment before the end.
  const counted = countOn(watch, snapshot.record, Math.min(now, end - 1), now);
  return now >= end ? then(counted, atItsEnd(counted.watch, end, now)) : counted;
}

function countOn(
  watch: Watch,
  record: ContractRecord | undefined,
  moment: Instant,
  now: Instant,
): Next {
  const { ruleCondition } = watch;
  const { metric } = ruleCondition;
  if (!isClock(metric)) return still(watch);
  const [series] = seriesOfMetric(metric);
  const countsFrom = countedFrom(metric, series, record, moment);
  const clock = minutesSince(countsFrom ?? watch.since, moment);
  const { editedAt, ...seen } = watch;
  const isTheSame = countsFrom === undefined && editedAt === undefined;
  const counting = isTheSame ? watch : { ...seen, ...defined({ countsFrom }) };
  const evaluated = transition(counting, {
    ...{ at: moment, time: moment, since: moment, asked: moment },
    result: ruleResult(ruleCondition, [{ kind: 'value', value: clock }]),
    ...{ isNews: true, isEvent: true, answeredAt: moment },
    causeAt: (time) => causeByClock(metric, record, clock, time, now),
  });
  // `countsFrom` is used only for the timer, so a later value is not written until the timer is
  // due.
  const isDue = (nextTimer(watch) ?? Number.POSITIVE_INFINITY) <= moment;
  const isFirst = watch.countsFrom === undefined && countsFrom !== undefined;
  return evaluated.watch !== counting || isDue || isFirst ? evaluated : still(watch);
}

/**
 * If a new watch has had no value for a day, reports this once, with the reason. Otherwise nobody
 * would notice that no provider has the contract.
 */
function awaitFirstValue(watch: Watch, snapshot: Snapshot, now: Instant): Next {
  const dueAt = firstValueDueAt(watch);
  if (dueAt === undefined || dueAt > now) return still(watch);
  const { record } = snapshot;
  const health = healthOf(watch, measuredClausesOf(watch, snapshot, now), record);
  const noValue = {
    why: health.reason ?? 'no data since the rule was created',
    isAnyReported: seriesOfWatch(watch).some(
      (series) => (record && newestOf(record, series)) !== undefined,
    ),
  };
  const nothing: Series = new Map();
  return reportNoValue(watch, {
    ...{ time: dueAt, known: nothing, windowEnd: dueAt, late: false, now, all: nothing, noValue },
  });
}

/**
 * The start of the episode that a `recovered` alert ends. Its prices must be read, because this
 * alert reports the extreme. Undefined without a `recovered` alert.
 */
export function episodeToRead({ firedAt }: Watch, { alerts }: Next): Instant | undefined {
  if (!alerts.some(({ kind }) => kind === 'recovered')) return undefined;
  const begun = alerts.filter(({ kind }) => kind === 'fired');
  return earliest([firedAt, ...begun.map(({ dataTime }) => Date.parse(dataTime))]);
}

function hasExpired({ expiresAt }: Watch, instant: Instant): boolean {
  return expiresAt !== undefined && instant >= expiresAt;
}

function still(watch: Watch): Next {
  return { watch, alerts: [] };
}

function then(before: Next, after: Next): Next {
  return { watch: after.watch, alerts: [...before.alerts, ...after.alerts] };
}
