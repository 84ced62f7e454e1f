/**
 * What a watch should say, reported as plainly as the design reports it: from the facts in their
 * order and the moments of answers, with nothing of the product's own state machine, arithmetic or
 * threshold indexes.
 */

import type { Moment, Thought } from './belief.ts';
import {
  answeredFor,
  type Fact,
  type Forecast,
  factsKnown,
  inTime,
  isKnownAt,
  newestOf,
} from './facts.ts';
import { canBeEvaluated, close, isOver, nextTimer, pass, see } from './laws.ts';
import { isAnother } from './numbers.ts';
import { NOTHING_FAR, steadied, withoutOldGlitches } from './outliers.ts';
import { looksFurther, type OracleRule } from './rule.ts';

/**
 * Takes into account all that was known, in its order: facts before window expiries, and these before
 * timers. With an answer from its end or later a rule is over, and an open episode is closed.
 */
export function think(
  rule: OracleRule,
  before: Thought,
  facts: readonly Fact[],
  forecast: Forecast,
): Thought {
  if (before.belief.isOver) return before;
  const thought = thinkOn(rule, before, facts, forecast);
  const until = answeredFor(rule.parts, forecast);
  return endedBy(rule, thought, until !== undefined && until > before.belief.born ? until : 0);
}

export function endedBy(rule: OracleRule, thought: Thought, until: number): Thought {
  const { expiresAt } = rule;
  if (expiresAt === undefined || until < expiresAt) return thought;
  const closed = close(rule, thought, expiresAt);
  return { ...closed, belief: { ...closed.belief, isOver: true } };
}

function thinkOn(
  rule: OracleRule,
  before: Thought,
  facts: readonly Fact[],
  forecast: Forecast,
): Thought {
  const { belief } = before;
  const steady = rule.takesOutliers ? { ...forecast, ...NOTHING_FAR } : steadied(facts, forecast);
  const { past, glitches, knownFrom } = steady;
  const reported = facts.filter(({ number }) => number <= forecast.upTo);
  // To whoever begins all but the newest is past.
  const evaluatedTo = belief.state === 'unknown' ? forecast.upTo : belief.evaluated;
  const prices = withoutOldGlitches(reported, glitches, evaluatedTo);
  const all = factsKnown(rule.parts, prices, { ...forecast, past });
  const until = answeredFor(rule.parts, forecast);
  const mind: Mind = { rule, all, windowExpiries: [], heardTo: 0, thought: before };
  if (belief.isWaiting && !(until !== undefined && until > belief.born)) return before;
  if (belief.state === 'unknown') return begin(mind, until ?? 0, forecast.upTo, knownFrom);
  const news = newsFor(all, belief.evaluated);
  mind.windowExpiries = windowExpiriesAfter(
    mind,
    Math.min(belief.windowsExpiredTo ?? until ?? 0, ...times(news)),
    until,
  );
  for (const fact of news) {
    const together = newsOfPoll(news, fact);
    // What comes with one poll is heard at once: when there is something of each part that has
    // news.
    const [whole = fact] = together.toSorted(inTime).reverse();
    if (inTime(fact, whole) < 0) continue;
    const isWhole = fact === whole;
    elapse(mind, (isWhole ? Math.min(...times(together)) : fact.time) - 1);
    // The moments until then are seen with all that came.
    mind.heardTo = fact.time;
    mind.windowExpiries = mind.windowExpiries.filter((time) => time >= fact.time);
    const known = all.filter(
      (other) =>
        isEvaluated(other, all, belief.evaluated) ||
        (inTime(other, fact) <= 0 && isKnownAt(other, fact.time)),
    );
    const time = looksFurther(rule) ? Math.max(newestTime(known), belief.movedAt) : fact.time;
    const moment = { time, known, all, newsAt: fact.time };
    const without = known.filter(
      (other) =>
        other !== fact &&
        !(isWhole && other.poll === fact.poll && other.number > 0) &&
        !isSecretOf(fact, other),
    );
    const isAnew =
      newestOf(fact.part, without)?.time === fact.time && canBeEvaluated(rule, without, time - 1);
    // Of a contract that is looked at again nobody remembers what the newest has revised.
    const before = forecast.isAgain === true ? beforeFound(fact, known) : [without];
    mind.thought = see(rule, mind.thought, {
      ...moment,
      isRevision: isAnew,
      hasMoved: (isWhole
        ? news.filter((one) => one.poll === fact.poll && inTime(one, fact) <= 0)
        : [fact]
      ).some((one) => hasMoved(rule, all, one)),
      earlier: { known: before, time: time - 1 },
    });
  }
  elapse(mind, until ?? 0);
  return evaluated(mind.thought, forecast.upTo, until);
}

/** A thought as it goes on, with the window expiries that it has not come to. */
type Mind = {
  readonly rule: OracleRule;
  readonly all: readonly Fact[];
  windowExpiries: readonly number[];
  /** The time of the news that were heard last. */
  heardTo: number;
  thought: Thought;
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

/** What is new begins with the newest of an answer: what lies before it, nobody watched. */
function begin(
  mind: Mind,
  until: number,
  upTo: number,
  knownFrom: ReadonlyMap<number, number>,
): Thought {
  const { rule, all, thought } = mind;
  const newest = rule.parts.flatMap((part) => newestOf(part, all) ?? []).toSorted(inTime);
  const last = newest.at(-1);
  if (last === undefined) return thought;
  const time = windowExpiriesAfter(mind, last.time, until).at(-1) ?? last.time;
  const open = all.filter((fact) => !isSecretOf(last, fact));
  // Who begins need not know that an outlier was reported otherwise for a while.
  const unrevised = open.filter((fact) => (knownFrom.get(fact.time) ?? 0) < last.time);
  const known = [...beforeFound(last, open), ...beforeFound(last, unrevised)];
  const earlier = { known, time: time - 1 };
  const moment: Moment = { time, known: all, all, newsAt: undefined, earlier };
  const begun = see(rule, thought, moment);
  if (begun.belief.state === 'unknown') return thought;
  mind.thought = begun;
  elapse(mind, until);
  return evaluated(mind.thought, upTo, until);
}

/** Whether a floor was not to be known before another fact. */
function isSecretOf(fact: Fact, { time, knownFrom = time }: Fact): boolean {
  return knownFrom > time && knownFrom >= fact.time;
}

/**
 * Nobody may have looked at what was before what is found, or only at what was before a revision.
 */
function beforeFound(found: Fact, known: readonly Fact[]): readonly (readonly Fact[])[] {
  const without = known.filter((fact) => fact !== found);
  const before = known.filter((fact) => fact.time < found.time);
  return [without, before, []];
}

/** Lets the instants pass at which a window slides, or at which a watch moves by itself. */
function elapse(mind: Mind, until: number): void {
  const { rule, all } = mind;
  for (;;) {
    const { belief } = mind.thought;
    const own = nextTimer(rule, belief) ?? Number.POSITIVE_INFINITY;
    const [windowExpiry = Number.POSITIVE_INFINITY] = mind.windowExpiries;
    const time = Math.min(own, windowExpiry);
    if (time > until || isOver(rule, time)) return;
    const known = all.filter((fact) => isKnownAt(fact, Math.max(time, mind.heardTo)));
    const moment = { time, known, all, newsAt: time };
    if (windowExpiry > own) {
      // What was only recorded until then may have put an end to what it waits for.
      const held = all.filter((fact) => isKnownAt(fact, time));
      const isRecorded = rule.parts.some((part) => newestOf(part, held)?.number === 0);
      const earlier = { known: [known], time: time - 1 };
      const thought = isRecorded ? see(rule, mind.thought, { ...moment, earlier }) : mind.thought;
      const stands = nextTimer(rule, thought.belief) === own;
      mind.thought = stands ? pass(rule, thought, moment) : thought;
      continue;
    }
    mind.windowExpiries = mind.windowExpiries.slice(1);
    // Who counts observations counts no window expiries.
    const isOpen = belief.state === 'firing' || belief.state === 'recovering';
    if (rule.confirm !== undefined && !isOpen) continue;
    const earlier = { known: [known], time: time - 1 };
    mind.thought = see(rule, mind.thought, { ...moment, earlier });
  }
}

/** The instants after some moment at which a floor leaves a window, and with it changes a value. */
function windowExpiriesAfter(
  { rule, all, thought }: Pick<Mind, 'rule' | 'all' | 'thought'>,
  moment: number,
  until: number | undefined,
): readonly number[] {
  const after = Math.max(moment, thought.belief.movedAt);
  const floors = all.filter(({ part }) => part === 'floor');
  const windowExpiries = rule.clauses
    .filter(({ window }) => window > 0)
    .flatMap(({ window }) => floors.map(({ time }) => time + window))
    .filter((time) => time > after && time <= (until ?? 0));
  return [...new Set(windowExpiries)].toSorted((left, right) => left - right);
}

function evaluated({ belief, said }: Thought, upTo: number, until: number | undefined): Thought {
  const windowsExpiredTo = Math.max(belief.windowsExpiredTo ?? 0, until ?? 0);
  const evaluatedTo = Math.max(belief.evaluated, upTo);
  return {
    belief: { ...belief, isWaiting: false, evaluated: evaluatedTo, windowsExpiredTo },
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
