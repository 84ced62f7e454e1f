/**
 * What a watch should say, reported as plainly as the design reports it: from the facts in their
 * order and the moments of answers, with nothing of the product's own state machine, arithmetic or
 * threshold indexes.
 */

import {
  answeredFor,
  type Fact,
  type Forecast,
  factsKnown,
  inTime,
  isKnownAt,
  newestOf,
} from './facts.ts';
import { canBeEvaluated, close, isOver, meetFirstValue, nextTimer, observe, pass } from './laws.ts';
import type { Moment, Prediction } from './model.ts';
import { isAnother } from './numbers.ts';
import { NOTHING_FAR, type Steady, steadied, withoutOldGlitches } from './outliers.ts';
import { looksFurther, type OracleRule } from './rule.ts';

/**
 * Takes into account all that was known, in its order: facts before window expiries, and these before
 * timers. With an answer from its end or later a rule is over, and an open episode is closed.
 */
export function predict(
  rule: OracleRule,
  before: Prediction,
  facts: readonly Fact[],
  forecast: Forecast,
): Prediction {
  if (before.modelState.isOver) return before;
  const prediction = predictFrom(rule, before, facts, forecast);
  const until = answeredFor(rule.parts, forecast);
  return endedBy(
    rule,
    prediction,
    until !== undefined && until > before.modelState.born ? until : 0,
  );
}

export function endedBy(rule: OracleRule, prediction: Prediction, until: number): Prediction {
  const { expiresAt } = rule;
  if (expiresAt === undefined || until < expiresAt) return prediction;
  const closed = close(rule, prediction, expiresAt);
  return { ...closed, modelState: { ...closed.modelState, isOver: true } };
}

function predictFrom(
  rule: OracleRule,
  before: Prediction,
  facts: readonly Fact[],
  forecast: Forecast,
): Prediction {
  const { modelState } = before;
  const steady = rule.takesOutliers ? { ...forecast, ...NOTHING_FAR } : steadied(facts, forecast);
  const { past, glitches } = steady;
  const reported = facts.filter(({ number }) => number <= forecast.upTo);
  // To a new watch all but the newest is past.
  const evaluatedTo = modelState.state === 'unknown' ? forecast.upTo : modelState.evaluated;
  const prices =
    forecast.isEvaluatedBefore === true
      ? reported.filter(({ part, time }) => part !== 'floor' || !glitches.has(time))
      : withoutOldGlitches(reported, glitches, evaluatedTo);
  const all = factsKnown(rule.parts, prices, { ...forecast, past });
  const { alsoRecorded } = forecast;
  const wider = alsoRecorded && factsKnown(rule.parts, prices, { ...forecast, past: alsoRecorded });
  const reportable = wider === undefined ? [all] : [all, wider];
  const until = answeredFor(rule.parts, forecast);
  const progress: PredictionInProgress = {
    rule,
    all,
    reportable,
    windowExpiries: [],
    observedTo: 0,
    prediction: before,
  };
  if (modelState.isWaiting && !(until !== undefined && until > modelState.born)) return before;
  if (modelState.state === 'unknown') return begin(progress, until ?? 0, forecast.upTo, steady);
  const news = newsFor(all, modelState.evaluated);
  progress.windowExpiries = windowExpiriesAfter(
    progress,
    Math.min(modelState.windowsExpiredTo ?? until ?? 0, ...times(news)),
    until,
  );
  for (const fact of news) {
    const together = newsOfPoll(news, fact);
    // What comes with one poll is heard at once: when there is something of each part that has
    // news.
    const [whole = fact] = together.toSorted(inTime).reverse();
    if (inTime(fact, whole) < 0) continue;
    const isWhole = fact === whole;
    elapse(progress, (isWhole ? Math.min(...times(together)) : fact.time) - 1);
    // The moments until then are seen with all that came.
    progress.observedTo = fact.time;
    progress.windowExpiries = progress.windowExpiries.filter((time) => time >= fact.time);
    const known = all.filter(
      (other) =>
        isEvaluated(other, all, modelState.evaluated) ||
        (inTime(other, fact) <= 0 && isKnownAt(other, fact.time)),
    );
    const time = looksFurther(rule) ? Math.max(newestTime(known), modelState.movedAt) : fact.time;
    const moment = { time, known, all: reportable, newsAt: fact.time };
    const without = known.filter(
      (other) =>
        other !== fact &&
        !(isWhole && other.poll === fact.poll && other.number > 0) &&
        !isSecretOf(fact, other),
    );
    const isAnew =
      newestOf(fact.part, without)?.time === fact.time && canBeEvaluated(rule, without, time - 1);
    // A floor that a second provider had vouched for stood, though a revision of it was held back.
    const vouchedFor = known
      .filter((other) => isSecretOf(fact, other))
      .flatMap(({ time }) => prices.filter((other) => other.time === time && other.isConfirmed))
      .filter(({ number }) => number <= modelState.evaluated)
      .map((other) => [...without, other]);
    // Of a contract that is looked at again it is not known what the newest has revised.
    const before = forecast.isAgain === true ? beforeFound(fact, known) : [without, ...vouchedFor];
    progress.prediction = observe(rule, progress.prediction, {
      ...moment,
      isRevision: isAnew,
      hasMoved: (isWhole
        ? news.filter((one) => one.poll === fact.poll && inTime(one, fact) <= 0)
        : [fact]
      ).some((one) => hasMoved(rule, all, one)),
      earlier: { known: before, time: time - 1 },
    });
  }
  elapse(progress, until ?? 0);
  return evaluated(progress.prediction, forecast.upTo, until);
}

/** A prediction in progress, with the window expiries that it has not come to. */
type PredictionInProgress = {
  readonly rule: OracleRule;
  readonly all: readonly Fact[];
  /** What a message may be written of: that, or with what was only recorded. */
  readonly reportable: readonly (readonly Fact[])[];
  windowExpiries: readonly number[];
  /** The time of the news that were heard last. */
  observedTo: number;
  prediction: Prediction;
};

/** Of the news that came with one, the first of each part. */
function newsOfPoll(news: readonly Fact[], { poll }: Fact): readonly Fact[] {
  const together = news.filter((fact) => fact.poll === poll && fact.number > 0);
  return together.filter(
    (fact) => together.filter(({ part }) => part === fact.part).toSorted(inTime)[0] === fact,
  );
}

/** Whether what was reported is another price than what was reported of that part before it. */
function hasMoved({ clauses }: OracleRule, all: readonly Fact[], fact: Fact): boolean {
  const before = all
    .filter(({ part, number }) => part === fact.part && number > 0 && number < fact.number)
    .toSorted((left, right) => left.number - right.number)
    .at(-1);
  return clauses.some(
    (clause) => clause.parts.includes(fact.part) && isAnother(clause, fact, before),
  );
}

/** What was only recorded is evaluated with the floor that comes after it. */
function isEvaluated({ number, time }: Fact, all: readonly Fact[], evaluatedTo: number): boolean {
  if (number > 0) return number <= evaluatedTo;
  const evaluated = all.filter((fact) => fact.number > 0 && fact.number <= evaluatedTo);
  return time < (newestOf('floor', evaluated)?.time ?? 0);
}

/** What is new begins with the newest of an answer: what lies before it was not watched. */
function begin(
  progress: PredictionInProgress,
  until: number,
  upTo: number,
  { knownFrom, glitches }: Pick<Steady, 'knownFrom' | 'glitches'>,
): Prediction {
  const { rule, all, reportable, prediction } = progress;
  const newest = rule.parts.flatMap((part) => newestOf(part, all) ?? []).toSorted(inTime);
  const last = newest.at(-1);
  if (last === undefined) return prediction;
  const time = windowExpiriesAfter(progress, last.time, until).at(-1) ?? last.time;
  const open = all.filter((fact) => !isSecretOf(last, fact));
  // A new watch need not know that an outlier was reported otherwise for a while.
  const isFloor = ({ part }: Fact) => part === 'floor';
  const unrevised = open.filter(
    (fact) => !isFloor(fact) || (knownFrom.get(fact.time) ?? 0) < last.time,
  );
  // Nor what it was reported as before it was a glitch.
  const recorded = unrevised.filter((fact) => !isFloor(fact) || !glitches.has(fact.time));
  // Nor that what was recorded before the newest was not observed.
  const unobserved = open.filter((fact) => fact === last || fact.number === 0);
  const known = [open, unrevised, recorded, unobserved].flatMap((facts) =>
    beforeFound(last, facts),
  );
  const earlier = { known, time: time - 1 };
  const moment: Moment = { time, known: all, all: reportable, newsAt: undefined, earlier };
  const begun = observe(rule, meetFirstValue(rule, prediction, moment), moment);
  if (begun.modelState.state === 'unknown') return prediction;
  progress.prediction = begun;
  elapse(progress, until);
  return evaluated(progress.prediction, upTo, until);
}

/** Whether a floor was not to be known before another fact. */
function isSecretOf(fact: Fact, { time, knownFrom = time }: Fact): boolean {
  return knownFrom > time && knownFrom >= fact.time;
}

/**
 * No worker need have looked at what was before what is found, or only at what was before a revision.
 */
function beforeFound(found: Fact, known: readonly Fact[]): readonly (readonly Fact[])[] {
  const without = known.filter((fact) => fact !== found);
  const before = known.filter((fact) => fact.time < found.time);
  return [without, before, []];
}

/** Lets the instants pass at which a window slides, or at which a watch moves by itself. */
function elapse(progress: PredictionInProgress, until: number): void {
  const { rule, all, reportable } = progress;
  for (;;) {
    const { modelState } = progress.prediction;
    const own = nextTimer(rule, modelState) ?? Number.POSITIVE_INFINITY;
    const [windowExpiry = Number.POSITIVE_INFINITY] = progress.windowExpiries;
    const time = Math.min(own, windowExpiry);
    if (time > until || isOver(rule, time)) return;
    const known = all.filter((fact) => isKnownAt(fact, Math.max(time, progress.observedTo)));
    const moment = { time, known, all: reportable, newsAt: time };
    if (windowExpiry > own) {
      // What was only recorded until then may have put an end to what it waits for.
      const held = all.filter((fact) => isKnownAt(fact, time));
      const isRecorded =
        looksFurther(rule) || rule.parts.some((part) => newestOf(part, held)?.number === 0);
      const earlier = { known: [known], time: time - 1 };
      const prediction = isRecorded
        ? observe(rule, progress.prediction, { ...moment, earlier })
        : progress.prediction;
      const stands = nextTimer(rule, prediction.modelState) === own;
      progress.prediction = stands ? pass(rule, prediction, moment) : prediction;
      continue;
    }
    progress.windowExpiries = progress.windowExpiries.slice(1);
    // A rule that counts observations counts no window expiries.
    const isOpen = modelState.state === 'firing' || modelState.state === 'recovering';
    if (rule.confirm !== undefined && !isOpen) continue;
    const earlier = { known: [known], time: time - 1 };
    progress.prediction = observe(rule, progress.prediction, { ...moment, earlier });
  }
}

/** The instants after some moment at which a floor leaves a window, and with it changes a value. */
function windowExpiriesAfter(
  { rule, all, prediction }: Pick<PredictionInProgress, 'rule' | 'all' | 'prediction'>,
  moment: number,
  until: number | undefined,
): readonly number[] {
  const after = Math.max(moment, prediction.modelState.movedAt);
  const floors = all.filter(({ part }) => part === 'floor');
  const windowExpiries = rule.clauses
    .filter(({ window }) => window > 0)
    .flatMap(({ window }) => floors.map(({ time }) => time + window))
    .filter((time) => time > after && time <= (until ?? 0));
  return [...new Set(windowExpiries)].toSorted((left, right) => left - right);
}

function evaluated(
  { modelState, said }: Prediction,
  upTo: number,
  until: number | undefined,
): Prediction {
  const windowsExpiredTo = Math.max(modelState.windowsExpiredTo ?? 0, until ?? 0);
  const evaluatedTo = Math.max(modelState.evaluated, upTo);
  return {
    modelState: { ...modelState, isWaiting: false, evaluated: evaluatedTo, windowsExpiredTo },
    said,
  };
}

function newsFor(all: readonly Fact[], evaluated: number): readonly Fact[] {
  return all.filter(({ number }) => number > evaluated);
}

function times(facts: readonly Fact[]): readonly number[] {
  return facts.map(({ time }) => time);
}

function newestTime(known: readonly Fact[]): number {
  return Math.max(0, ...times(known));
}
