import type { Belief, Moment, Thought, Utterance } from './belief.ts';
import { type Fact, newestOf } from './facts.ts';
import { furthest, type Value, valueAt } from './numbers.ts';
import { isBeyond, isOfClock, isShare, looksFurther, type OracleRule } from './rule.ts';

/** A moment as a rule sees it: whether all of it holds, whether that is over, and its number. */
type Sight = {
  readonly moment: Moment;
  readonly beyond: boolean;
  readonly back: boolean;
  readonly value: bigint | undefined;
};

const HUNDRED_PERCENT = 100n * 10n ** 18n;

/** The instant at which a watch moves by itself. */
export function nextTimer(rule: OracleRule, belief: Belief): number | undefined {
  const { state, born, stateSince = 0, firedAt = 0, remindedAt = 0 } = belief;
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
export function pass(rule: OracleRule, thought: Thought, moment: Moment): Thought {
  const { movedAt } = thought.belief;
  return changed(passed(rule, thought, moment), { movedAt });
}

function passed(rule: OracleRule, thought: Thought, moment: Moment): Thought {
  const [clause] = rule.clauses;
  const value = moment.clock ?? asNumber(valueAt(clause, moment.known, moment.time));
  const sight = { moment, beyond: true, back: false, value };
  // What nobody knows has not lasted.
  const isKnown = moment.clock !== undefined || canBeEvaluated(rule, moment.known, moment.time);
  switch (thought.belief.state) {
    case 'pending':
      return isKnown ? fire(rule, thought, sight) : enter(rule, thought, 'ok', moment);
    case 'recovering':
      return isKnown ? recover(rule, thought, sight) : enter(rule, thought, 'firing', moment);
    default: {
      // Nobody is reminded of what is not known now.
      const reminded = changed(thought, { remindedAt: moment.time });
      return isKnown ? say(rule, reminded, 'reminder', sight) : reminded;
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
export function see(rule: OracleRule, thought: Thought, moment: Moment): Thought {
  if (isOver(rule, moment.time)) return thought;
  const [first] = rule.clauses;
  const values =
    moment.clock === undefined ? valuesAt(rule, moment.known, moment.time) : [moment.clock];
  const value = asNumber(values[0]);
  if (rule.clauses.length > 1) return seeTogether(rule, thought, moment, values);
  if (values[0] === 'nothing sold') return seeNothing(rule, thought, moment);
  if (value === undefined) return thought;
  const beyond = isBeyond(first, value);
  const sight = { moment, beyond, back: isBack(rule, value), value };
  return first.when === 'crosses'
    ? seeCrossing(rule, thought, value, sight)
    : evaluation(rule, thought, sight);
}

/** Conditions hold together when each does; one that does not is enough, whatever the others do. */
function seeTogether(
  rule: OracleRule,
  thought: Thought,
  moment: Moment,
  values: readonly Value[],
): Thought {
  if (!knowsEnough(rule, values)) return thought;
  const fails = holding(rule, values).includes(false);
  return evaluation(rule, thought, {
    moment,
    beyond: !fails,
    back: fails,
    value: asNumber(values[0]),
  });
}

/** Of each condition whether it holds; undefined where nobody knows. */
function holding(rule: OracleRule, values: readonly Value[]): readonly (boolean | undefined)[] {
  return rule.clauses.map((clause, index) => {
    const value = values[index];
    if (typeof value === 'bigint') return isBeyond(clause, value);
    return value === 'nothing sold' ? false : undefined;
  });
}

function evaluation(rule: OracleRule, thought: Thought, sight: Sight): Thought {
  const { beyond, back, moment } = sight;
  switch (thought.belief.state) {
    case 'unknown':
      if (beyond && rule.arm === 'cross') return enter(rule, thought, 'disarmed', moment);
      return beyond ? trigger(rule, thought, sight) : enter(rule, thought, 'ok', moment);
    case 'ok':
      return beyond && !isStill(rule, moment) ? trigger(rule, thought, sight) : thought;
    case 'disarmed':
      return beyond ? thought : enter(rule, thought, 'ok', moment);
    case 'pending':
      if (rule.confirm !== undefined) return count(rule, thought, sight);
      return beyond ? thought : enter(rule, thought, 'ok', moment);
    case 'firing':
      if (!back) return worsen(rule, thought, sight);
      return rule.keepFor === undefined
        ? recover(rule, thought, sight)
        : enter(rule, thought, 'recovering', moment);
    case 'recovering':
      // A fall that goes on while a recovery is waited for is a step like any other.
      return back ? thought : worsen(rule, enter(rule, thought, 'firing', moment), sight);
    default:
      return thought;
  }
}

/** Where no sale is left nothing holds on either side: what is open is over, and all else is at rest. */
function seeNothing(rule: OracleRule, thought: Thought, moment: Moment): Thought {
  const sight = { moment, beyond: false, back: true, value: undefined };
  switch (thought.belief.state) {
    case 'firing':
    case 'recovering':
      return recover(rule, thought, sight);
    case 'pending':
      return rule.confirm === undefined ? enter(rule, thought, 'ok', moment) : thought;
    case 'unknown':
    case 'disarmed':
      return enter(rule, thought, 'ok', moment);
    default:
      return thought;
  }
}

/** Each crossing is reported; a value at the line stays where it came from. */
function seeCrossing(rule: OracleRule, thought: Thought, value: bigint, sight: Sight): Thought {
  const { belief } = thought;
  const [{ threshold }] = rule.clauses;
  const begun = belief.state === 'unknown' ? enter(rule, thought, 'ok', sight.moment) : thought;
  if (value === threshold) return begun;
  if (belief.state !== 'unknown' && isStill(rule, sight.moment)) return begun;
  const side = value < threshold ? 'under' : 'over';
  const isCrossed = belief.side !== undefined && belief.side !== side;
  const crossed = changed(begun, { side });
  return isCrossed ? say(rule, enter(rule, crossed, 'ok', sight.moment), 'fired', sight) : crossed;
}

function trigger(rule: OracleRule, thought: Thought, sight: Sight): Thought {
  if (rule.for !== undefined) return enter(rule, thought, 'pending', sight.moment);
  return rule.confirm === undefined ? fire(rule, thought, sight) : count(rule, thought, sight);
}

function count(rule: OracleRule, thought: Thought, sight: Sight): Thought {
  const { times, of } = rule.confirm ?? { times: 1, of: 1 };
  // What is reported anew was counted when it was reported first.
  const before = thought.belief.ring;
  const others = sight.moment.isRevision === true ? before.slice(0, -1) : before;
  const ring = [...others, sight.beyond].slice(-of);
  const beyonds = ring.filter((one) => one).length;
  const uncounted = changed(thought, { ring: [] });
  if (beyonds >= times) return fire(rule, uncounted, sight);
  if (beyonds === 0) return enter(rule, uncounted, 'ok', sight.moment);
  const counted = changed(thought, { ring });
  return thought.belief.state === 'pending'
    ? counted
    : enter(rule, counted, 'pending', sight.moment);
}

function fire(rule: OracleRule, thought: Thought, sight: Sight): Thought {
  const episodes = thought.belief.episodes + 1;
  const fired = enter(rule, thought, 'firing', sight.moment);
  return say(rule, changed(fired, { episodes, firedAt: sight.moment.time }), 'fired', sight);
}

/** A step is a share of what was reported last; of a percentage, points. */
function worsen(rule: OracleRule, thought: Thought, sight: Sight): Thought {
  const { lastReported } = thought.belief;
  const { value } = sight;
  const [clause] = rule.clauses;
  if (rule.steps === undefined || lastReported === undefined || value === undefined) return thought;
  const further = clause.when === 'below' ? lastReported - value : value - lastReported;
  const isStep = isShare(clause)
    ? further >= rule.steps
    : further > 0n && further * HUNDRED_PERCENT >= lastReported * rule.steps;
  return isStep && !isStill(rule, sight.moment)
    ? say(rule, moved(rule, thought, sight.moment), 'worsened', sight)
    : thought;
}

function recover(rule: OracleRule, thought: Thought, sight: Sight): Thought {
  const over = enter(rule, thought, rule.once ? 'ended' : 'ok', sight.moment);
  const reported = rule.tellsRecovery ? say(rule, over, 'recovered', sight) : over;
  return changed(reported, { firedAt: undefined, lastReported: undefined, remindedAt: undefined });
}

function say(rule: OracleRule, thought: Thought, kind: string, sight: Sight): Thought {
  const { belief, said } = thought;
  const { moment, value } = sight;
  const { time, known, earlier, all, clock, newsAt } = moment;
  const { firedAt, episodes, lastReported } = belief;
  const [clause] = rule.clauses;
  const isReported = value !== undefined && clock === undefined;
  const isLimit = clause.when === 'below' || clause.when === 'above';
  const hasExtreme = kind === 'recovered' && isLimit && rule.clauses.length === 1;
  const utterance: Utterance = {
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
    extreme:
      hasExtreme && !isOfClock(clause)
        ? furthest(clause, all, { from: firedAt ?? time, to: time }, lastReported)
        : undefined,
  };
  // Steps go on from what was reported as news.
  const reported = kind === 'reminder' ? lastReported : (value ?? lastReported);
  return {
    belief: { ...belief, alerts: belief.alerts + 1, lastReported: reported },
    said: [...said, utterance],
  };
}

/** An alert of one price compares observations: what was only recorded between them is no news. */
function comparable(rule: OracleRule, known: readonly Fact[]): readonly Fact[] {
  if (looksFurther(rule)) return known;
  const begun = known.find(({ number }) => number > 0)?.time ?? Number.POSITIVE_INFINITY;
  return known.filter(({ number, time }) => number > 0 || time < begun);
}

/** An episode whose rule ends, or is no more what it was, is closed: whether it has recovered nobody knows. */
export function close(rule: OracleRule, thought: Thought, time: number): Thought {
  const { state } = thought.belief;
  if (state !== 'firing' && state !== 'recovering') return thought;
  const moment = { time, known: [], all: [], newsAt: undefined };
  const sight = { moment, beyond: false, back: true, value: undefined };
  const over = changed(thought, { state: rule.once ? 'ended' : 'ok', stateSince: time });
  const reported = rule.tellsRecovery ? say(rule, over, 'closed', sight) : over;
  return changed(reported, { firedAt: undefined, lastReported: undefined, remindedAt: undefined });
}

/** The line that a value has passed; of a band, the edge. */
function lineBehind({ clauses: [clause] }: OracleRule, value: bigint | undefined): bigint {
  if (clause.when !== 'inside' && clause.when !== 'outside') return clause.threshold;
  return value !== undefined && value > clause.high ? clause.high : clause.low;
}

function enter(rule: OracleRule, thought: Thought, state: string, moment: Moment): Thought {
  return changed(moved(rule, thought, moment), { state, stateSince: moment.time });
}

function moved(rule: OracleRule, thought: Thought, { time }: Moment): Thought {
  return looksFurther(rule) ? changed(thought, { movedAt: time }) : thought;
}

function changed({ belief, said }: Thought, change: Partial<Belief>): Thought {
  return { belief: { ...belief, ...change }, said };
}

function isBack(rule: OracleRule, value: bigint): boolean {
  const [clause] = rule.clauses;
  if (rule.recover === undefined) return !isBeyond(clause, value);
  return clause.when === 'below' ? value >= rule.recover : value <= rule.recover;
}

export function isOver({ expiresAt }: OracleRule, instant: number): boolean {
  return expiresAt !== undefined && instant >= expiresAt;
}

function asNumber(value: Value): bigint | undefined {
  return typeof value === 'bigint' ? value : undefined;
}
