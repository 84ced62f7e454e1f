import { type Fact, newestOf } from './facts.ts';
import type { Value } from './formulas.ts';
import type { ExpectedAlert, ModelState, Moment, Prediction } from './model.ts';
import { furthest, valueAt } from './numbers.ts';
import { isBack, isBeyond, isOfClock, isShare, looksFurther, type OracleRule } from './rule.ts';

/** A moment as a rule sees it: whether all of it holds, whether that is over, and its number. */
type Measurement = {
  readonly moment: Moment;
  readonly beyond: boolean;
  readonly back: boolean;
  readonly value: bigint | undefined;
};

const HUNDRED_PERCENT = 100n * 10n ** 18n;

/** The instant at which a watch moves by itself. */
export function nextTimer(rule: OracleRule, modelState: ModelState): number | undefined {
  const { state, born, stateSince = 0, firedAt = 0, remindedAt = 0 } = modelState;
  if (state === 'pending') return rule.for === undefined ? undefined : stateSince + rule.for;
  if (state === 'recovering') return stateSince + (rule.keepFor ?? 0);
  if (state !== 'firing' || rule.reminder === undefined) return undefined;
  // The clock began with the episode; it rings only while the rule fires and somebody watches.
  const after = Math.max(firedAt, remindedAt, stateSince, born);
  return firedAt + (Math.floor((after - firedAt) / rule.reminder) + 1) * rule.reminder;
}

/**
 * a timer has come. It is no data: what comes late is evaluated by its own time, should
 * that be before the instant, as it is for a rule that looks at one price.
 */
export function pass(rule: OracleRule, prediction: Prediction, moment: Moment): Prediction {
  const { movedAt } = prediction.modelState;
  return changed(passed(rule, prediction, moment), { movedAt });
}

function passed(rule: OracleRule, prediction: Prediction, moment: Moment): Prediction {
  const [clause] = rule.clauses;
  const value = moment.clock ?? asNumber(valueAt(clause, moment.known, moment.time));
  const measurement = { moment, beyond: true, back: false, value };
  // What is unknown has not lasted.
  const isKnown = moment.clock !== undefined || canBeEvaluated(rule, moment.known, moment.time);
  switch (prediction.modelState.state) {
    case 'pending':
      return isKnown ? fire(rule, prediction, measurement) : enter(rule, prediction, 'ok', moment);
    case 'recovering':
      return isKnown
        ? recover(rule, prediction, measurement)
        : enter(rule, prediction, 'firing', moment);
    default: {
      // What is not known now makes no reminder.
      const reminded = changed(prediction, { remindedAt: moment.time });
      return isKnown ? say(rule, reminded, 'reminder', measurement) : reminded;
    }
  }
}

/** Whether what was known at a moment reported if all of a rule held. */
export function canBeEvaluated(rule: OracleRule, known: readonly Fact[], time: number): boolean {
  return knowsEnough(rule, valuesAt(rule, known, time));
}

function valuesAt(rule: OracleRule, known: readonly Fact[], time: number): readonly Value[] {
  return rule.clauses.map((clause) => valueAt(clause, known, time));
}

/** Whether it can be reported if all of a rule holds: one that does not is enough. */
function knowsEnough(rule: OracleRule, values: readonly Value[]): boolean {
  if (rule.clauses.length === 1) return typeof values[0] === 'bigint';
  const holds = holding(rule, values);
  return holds.includes(false) || !holds.includes(undefined);
}

/**
 * A rule that looks back over a window changes its number though the price stands still. That begins
 * nothing, goes no step further and crosses nothing: it takes a price that is another.
 */
function isStill({ clauses }: OracleRule, { hasMoved }: Moment): boolean {
  return hasMoved !== true && clauses.some(({ window }) => window > 0);
}

/** Something was reported, or has slid. */
export function observe(rule: OracleRule, prediction: Prediction, moment: Moment): Prediction {
  if (isOver(rule, moment.time)) return prediction;
  const [first] = rule.clauses;
  const values =
    moment.clock === undefined ? valuesAt(rule, moment.known, moment.time) : [moment.clock];
  const value = asNumber(values[0]);
  if (rule.clauses.length > 1) return seeTogether(rule, prediction, moment, values);
  if (values[0] === 'nothing sold') return seeNothing(rule, prediction, moment);
  if (value === undefined) return prediction;
  const beyond = isBeyond(first, value);
  const measurement = { moment, beyond, back: isBack(rule, value), value };
  return first.when === 'crosses'
    ? evaluateCrossing(rule, prediction, value, measurement)
    : evaluation(rule, prediction, measurement);
}

/** Conditions hold together when each does; one that does not is enough, whatever the others do. */
function seeTogether(
  rule: OracleRule,
  prediction: Prediction,
  moment: Moment,
  values: readonly Value[],
): Prediction {
  if (!knowsEnough(rule, values)) return prediction;
  const fails = holding(rule, values).includes(false);
  return evaluation(rule, prediction, {
    moment,
    beyond: !fails,
    back: fails,
    value: asNumber(values[0]),
  });
}

/** Of each condition whether it holds; undefined where that is unknown. */
function holding(rule: OracleRule, values: readonly Value[]): readonly (boolean | undefined)[] {
  return rule.clauses.map((clause, index) => {
    const value = values[index];
    if (typeof value === 'bigint') return isBeyond(clause, value);
    return value === 'nothing sold' ? false : undefined;
  });
}

function evaluation(
  rule: OracleRule,
  prediction: Prediction,
  measurement: Measurement,
): Prediction {
  const { beyond, back, moment } = measurement;
  switch (prediction.modelState.state) {
    case 'unknown':
      if (beyond && rule.arm === 'cross') return enter(rule, prediction, 'disarmed', moment);
      return beyond
        ? trigger(rule, prediction, measurement)
        : enter(rule, prediction, 'ok', moment);
    case 'ok':
      return beyond && !isStill(rule, moment) ? trigger(rule, prediction, measurement) : prediction;
    case 'disarmed':
      return beyond ? prediction : enter(rule, prediction, 'ok', moment);
    case 'pending':
      if (rule.confirm !== undefined) return count(rule, prediction, measurement);
      return beyond ? prediction : enter(rule, prediction, 'ok', moment);
    case 'firing':
      if (!back) return worsen(rule, prediction, measurement);
      return rule.keepFor === undefined
        ? recover(rule, prediction, measurement)
        : enter(rule, prediction, 'recovering', moment);
    case 'recovering':
      // A fall that goes on while a recovery is waited for is a step like any other.
      return back
        ? prediction
        : worsen(rule, enter(rule, prediction, 'firing', moment), measurement);
    default:
      return prediction;
  }
}

/** Where no sale is left nothing holds on either side: what is open is over, and all else is at rest. */
function seeNothing(rule: OracleRule, prediction: Prediction, moment: Moment): Prediction {
  const measurement = { moment, beyond: false, back: true, value: undefined };
  switch (prediction.modelState.state) {
    case 'firing':
    case 'recovering':
      return recover(rule, prediction, measurement);
    case 'pending':
      return rule.confirm === undefined ? enter(rule, prediction, 'ok', moment) : prediction;
    case 'unknown':
    case 'disarmed':
      return enter(rule, prediction, 'ok', moment);
    default:
      return prediction;
  }
}

/** Each crossing is reported; a value at the line stays where it came from. */
function evaluateCrossing(
  rule: OracleRule,
  prediction: Prediction,
  value: bigint,
  measurement: Measurement,
): Prediction {
  const { modelState } = prediction;
  const [{ threshold }] = rule.clauses;
  const begun =
    modelState.state === 'unknown' ? enter(rule, prediction, 'ok', measurement.moment) : prediction;
  if (value === threshold) return begun;
  if (modelState.state !== 'unknown' && isStill(rule, measurement.moment)) return begun;
  const side = value < threshold ? 'under' : 'over';
  const isCrossed = modelState.side !== undefined && modelState.side !== side;
  const crossed = changed(begun, { side });
  return isCrossed
    ? say(rule, enter(rule, crossed, 'ok', measurement.moment), 'fired', measurement)
    : crossed;
}

function trigger(rule: OracleRule, prediction: Prediction, measurement: Measurement): Prediction {
  if (rule.for !== undefined) return enter(rule, prediction, 'pending', measurement.moment);
  return rule.confirm === undefined
    ? fire(rule, prediction, measurement)
    : count(rule, prediction, measurement);
}

function count(rule: OracleRule, prediction: Prediction, measurement: Measurement): Prediction {
  const { times, of } = rule.confirm ?? { times: 1, of: 1 };
  // What is reported anew was counted when it was reported first.
  const before = prediction.modelState.ring;
  const others = measurement.moment.isRevision === true ? before.slice(0, -1) : before;
  const ring = [...others, measurement.beyond].slice(-of);
  const beyonds = ring.filter((one) => one).length;
  const uncounted = changed(prediction, { ring: [] });
  if (beyonds >= times) return fire(rule, uncounted, measurement);
  if (beyonds === 0) return enter(rule, uncounted, 'ok', measurement.moment);
  const counted = changed(prediction, { ring });
  return prediction.modelState.state === 'pending'
    ? counted
    : enter(rule, counted, 'pending', measurement.moment);
}

function fire(rule: OracleRule, prediction: Prediction, measurement: Measurement): Prediction {
  const episodes = prediction.modelState.episodes + 1;
  const fired = enter(rule, prediction, 'firing', measurement.moment);
  return say(
    rule,
    changed(fired, { episodes, firedAt: measurement.moment.time }),
    'fired',
    measurement,
  );
}

/** A step is a share of what was reported last; of a percentage, points. */
function worsen(rule: OracleRule, prediction: Prediction, measurement: Measurement): Prediction {
  const { lastReported } = prediction.modelState;
  const { value } = measurement;
  const [clause] = rule.clauses;
  if (rule.steps === undefined || lastReported === undefined || value === undefined)
    return prediction;
  const further = clause.when === 'below' ? lastReported - value : value - lastReported;
  const isStep = isShare(clause)
    ? further >= rule.steps
    : further > 0n && further * HUNDRED_PERCENT >= lastReported * rule.steps;
  return isStep && !isStill(rule, measurement.moment)
    ? say(rule, moved(rule, prediction, measurement.moment), 'worsened', measurement)
    : prediction;
}

function recover(rule: OracleRule, prediction: Prediction, measurement: Measurement): Prediction {
  const over = enter(rule, prediction, rule.once ? 'ended' : 'ok', measurement.moment);
  const reported = rule.tellsRecovery ? say(rule, over, 'recovered', measurement) : over;
  return changed(reported, { firedAt: undefined, lastReported: undefined, remindedAt: undefined });
}

function say(
  rule: OracleRule,
  prediction: Prediction,
  kind: string,
  measurement: Measurement,
): Prediction {
  const { modelState, said } = prediction;
  const { moment, value } = measurement;
  const { time, known, earlier, all, clock, newsAt } = moment;
  const { firedAt, episodes, lastReported } = modelState;
  const [clause] = rule.clauses;
  const isReported = value !== undefined && clock === undefined;
  const isLimit = clause.when === 'below' || clause.when === 'above';
  const hasExtreme = kind === 'recovered' && isLimit && rule.clauses.length === 1;
  const expectedAlert: ExpectedAlert = {
    kind,
    value,
    time,
    episode: episodes,
    newsAt,
    previous: (earlier?.known ?? [[]]).map((before) =>
      asNumber(valueAt(clause, comparable(rule, before), earlier?.time ?? 0)),
    ),
    line: lineBehind(rule, value),
    usd: isReported ? newestOf(clause.parts[0] ?? '', known)?.usd : undefined,
    lasted: kind === 'fired' || firedAt === undefined ? undefined : Math.max(0, time - firedAt),
    extremes:
      hasExtreme && !isOfClock(clause)
        ? all.map((facts) =>
            furthest(clause, facts, { from: firedAt ?? time, to: time }, lastReported),
          )
        : [undefined],
  };
  // Steps go on from what was reported as news.
  const reported = kind === 'reminder' ? lastReported : (value ?? lastReported);
  return {
    modelState: { ...modelState, alerts: modelState.alerts + 1, lastReported: reported },
    said: [...said, expectedAlert],
  };
}

/** An alert of one price compares observations: what was only recorded between them is no news. */
function comparable(rule: OracleRule, known: readonly Fact[]): readonly Fact[] {
  if (looksFurther(rule)) return known;
  const begun = known.find(({ number }) => number > 0)?.time ?? Number.POSITIVE_INFINITY;
  return known.filter(({ number, time }) => number > 0 || time < begun);
}

const DAY = 86_400_000;

/**
 * A watch that has had no value for a day from its birth says so, whenever that is seen; once, and
 * not where its rule was to end by then.
 */
export function missFirstValue(
  rule: OracleRule,
  prediction: Prediction,
  seenAt: number,
): Prediction {
  const { state, born, alerts, isOver: hasEnded } = prediction.modelState;
  const time = born + DAY;
  const isMissed = state === 'unknown' && alerts === 0 && seenAt >= time;
  if (!rule.tellsNoValue || !isMissed || hasEnded || isOver(rule, time)) return prediction;
  return sayOfFirstValue(rule, changed(prediction, { noValueSince: time }), 'stale', {
    ...{ time, known: [], all: [], newsAt: undefined },
  });
}

/** What was missed is there, and what it does is said after that. */
export function meetFirstValue(
  rule: OracleRule,
  prediction: Prediction,
  { time, known, all }: Moment,
): Prediction {
  if (prediction.modelState.noValueSince === undefined) return prediction;
  const moment = { time, known, all, newsAt: undefined };
  const met = changed(prediction, { noValueSince: undefined });
  return rule.tellsRecovery ? sayOfFirstValue(rule, met, 'fresh', moment) : met;
}

/** What is said of the first value is of no episode: steps go on from nothing. */
function sayOfFirstValue(
  rule: OracleRule,
  prediction: Prediction,
  kind: string,
  moment: Moment,
): Prediction {
  const [clause] = rule.clauses;
  const { lastReported } = prediction.modelState;
  const value = asNumber(valueAt(clause, moment.known, moment.time));
  const measurement = { moment, beyond: false, back: true, value };
  return changed(say(rule, prediction, kind, measurement), { lastReported });
}

/** An episode whose rule ends, or is no more what it was, is closed: whether it has recovered is unknown. */
export function close(rule: OracleRule, prediction: Prediction, time: number): Prediction {
  const { state, noValueSince } = prediction.modelState;
  const moment = { time, known: [], all: [], newsAt: undefined };
  const measurement = { moment, beyond: false, back: true, value: undefined };
  if (noValueSince !== undefined) {
    const closed = changed(prediction, { noValueSince: undefined });
    return rule.tellsRecovery ? say(rule, closed, 'closed', measurement) : closed;
  }
  if (state !== 'firing' && state !== 'recovering') return prediction;
  const over = changed(prediction, { state: rule.once ? 'ended' : 'ok', stateSince: time });
  const reported = rule.tellsRecovery ? say(rule, over, 'closed', measurement) : over;
  return changed(reported, { firedAt: undefined, lastReported: undefined, remindedAt: undefined });
}

/** The line that a value has passed; of a band, the edge. */
function lineBehind({ clauses: [clause] }: OracleRule, value: bigint | undefined): bigint {
  if (clause.when !== 'inside' && clause.when !== 'outside') return clause.threshold;
  return value !== undefined && value > clause.high ? clause.high : clause.low;
}

function enter(
  rule: OracleRule,
  prediction: Prediction,
  state: string,
  moment: Moment,
): Prediction {
  return changed(moved(rule, prediction, moment), { state, stateSince: moment.time });
}

function moved(rule: OracleRule, prediction: Prediction, { time }: Moment): Prediction {
  return looksFurther(rule) ? changed(prediction, { movedAt: time }) : prediction;
}

function changed({ modelState, said }: Prediction, change: Partial<ModelState>): Prediction {
  return { modelState: { ...modelState, ...change }, said };
}

export function isOver({ expiresAt }: OracleRule, instant: number): boolean {
  return expiresAt !== undefined && instant >= expiresAt;
}

function asNumber(value: Value): bigint | undefined {
  return typeof value === 'bigint' ? value : undefined;
}
