/**
 * What a watch should say, told as plainly as the design tells it: from the facts in their order and
 * the moments of answers, with nothing of the product's own state machine, arithmetic or ladders.
 */

import type { Moment, Thought } from './belief.ts';
import { answeredFor, type Fact, factsKnown, inTime, newestOf, type Outlook } from './facts.ts';
import { canBeJudged, isOver, nextInstant, pass, see } from './laws.ts';
import { looksFurther, type OracleRule } from './rule.ts';

/** Takes into account all that was known, in its order: facts before slides, slides before instants. */
export function think(
  rule: OracleRule,
  before: Thought,
  facts: readonly Fact[],
  outlook: Outlook,
): Thought {
  const { belief } = before;
  const all = factsKnown(rule.parts, facts, outlook);
  const until = answeredFor(rule.parts, outlook);
  const mind: Mind = { rule, all, slides: [], thought: before };
  if (belief.isWaiting && !(until !== undefined && until > belief.born)) return before;
  if (belief.state === 'unknown') return begin(mind, until ?? 0, outlook.upTo);
  const news = belief.isWaiting
    ? sinceBirth(all, belief.born, outlook)
    : newsFor(all, belief.judged);
  mind.slides = slidesAfter(mind, Math.min(belief.slid ?? until ?? 0, ...times(news)), until);
  for (const fact of news) {
    elapse(mind, fact.time - 1);
    // Who goes on after an end begins with what it finds, as who is new does: all told by then.
    const isFound = belief.isWaiting && fact.time <= belief.born;
    const judgedTo = isFound ? Math.max(belief.judged, fact.number) : belief.judged;
    const known = all.filter((other) => isJudged(other, all, judgedTo) || inTime(other, fact) <= 0);
    const time = looksFurther(rule) ? Math.max(newestTime(known), belief.movedAt) : fact.time;
    const moment = { time, known, all, newsAt: isFound ? undefined : fact.time };
    const without = known.filter((other) => other !== fact);
    const isAnew =
      newestOf(fact.part, without)?.time === fact.time && canBeJudged(rule, without, time - 1);
    // Of a contract that was forgotten meanwhile nobody remembers what was before, nor of one that is
    // looked at again what the newest has revised.
    const isForgotten = belief.isWaiting || outlook.isAgain === true;
    const before = isForgotten ? beforeFound(fact, known) : [without];
    mind.thought = see(rule, mind.thought, {
      ...moment,
      isToldAnew: isAnew,
      earlier: { known: before, time: time - 1 },
    });
  }
  elapse(mind, until ?? 0);
  return judged(mind.thought, outlook.upTo, until);
}

/** A thought as it goes on, with the slides that it has not come to. */
type Mind = {
  readonly rule: OracleRule;
  readonly all: readonly Fact[];
  slides: readonly number[];
  thought: Thought;
};

/** What was only recorded is judged with the floor that comes after it. */
function isJudged({ number, time }: Fact, all: readonly Fact[], judgedTo: number): boolean {
  if (number > 0) return number <= judgedTo;
  const judged = all.filter((fact) => fact.number > 0 && fact.number <= judgedTo);
  return time < (newestOf('floor', judged)?.time ?? 0);
}

/** What is new begins with the newest of an answer: what lies before it, nobody watched. */
function begin(mind: Mind, until: number, upTo: number): Thought {
  const { rule, all, thought } = mind;
  const newest = rule.parts.flatMap((part) => newestOf(part, all) ?? []).toSorted(inTime);
  const last = newest.at(-1);
  if (last === undefined) return thought;
  const time = slidesAfter(mind, last.time, until).at(-1) ?? last.time;
  const earlier = { known: beforeFound(last, all), time: time - 1 };
  const moment: Moment = { time, known: all, all, newsAt: undefined, earlier };
  const begun = see(rule, thought, moment);
  if (begun.belief.state === 'unknown') return thought;
  mind.thought = begun;
  elapse(mind, until);
  return judged(mind.thought, upTo, until);
}

/** Nobody may have looked at what was before what is found, or only at what was before a revision. */
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
    const own = nextInstant(rule, belief) ?? Number.POSITIVE_INFINITY;
    const [slide = Number.POSITIVE_INFINITY] = mind.slides;
    const time = Math.min(own, slide);
    if (time > until || isOver(rule, time)) return;
    const known = all.filter((fact) => fact.time <= time);
    const moment = { time, known, all, newsAt: time };
    if (slide > own) {
      // What was only recorded until then may have put an end to what it waits for.
      const isRecorded = rule.parts.some((part) => newestOf(part, known)?.number === 0);
      const earlier = { known: [known], time: time - 1 };
      const thought = isRecorded ? see(rule, mind.thought, { ...moment, earlier }) : mind.thought;
      const stands = nextInstant(rule, thought.belief) === own;
      mind.thought = stands ? pass(rule, thought, moment) : thought;
      continue;
    }
    mind.slides = mind.slides.slice(1);
    // Who counts observations counts no slides.
    const isOpen = belief.state === 'firing' || belief.state === 'recovering';
    if (rule.confirm !== undefined && !isOpen) continue;
    const earlier = { known: [known], time: time - 1 };
    mind.thought = see(rule, mind.thought, { ...moment, earlier });
  }
}

/** The instants after some moment at which a floor leaves a window, and with it changes a value. */
function slidesAfter(
  { rule, all, thought }: Pick<Mind, 'rule' | 'all' | 'thought'>,
  moment: number,
  until: number | undefined,
): readonly number[] {
  const after = Math.max(moment, thought.belief.movedAt);
  const floors = all.filter(({ part }) => part === 'floor');
  const slides = rule.clauses
    .filter(({ window }) => window > 0)
    .flatMap(({ window }) => floors.map(({ time }) => time + window))
    .filter((time) => time > after && time <= (until ?? 0));
  return [...new Set(slides)].toSorted((left, right) => left - right);
}

function judged({ belief, said }: Thought, upTo: number, until: number | undefined): Thought {
  const slid = Math.max(belief.slid ?? 0, until ?? 0);
  const judgedTo = Math.max(belief.judged, upTo);
  return { belief: { ...belief, isWaiting: false, judged: judgedTo, slid }, said };
}

function newsFor(all: readonly Fact[], judged: number): readonly Fact[] {
  return all.filter(({ number }) => number > judged);
}

/**
 * Who goes on after an end has seen nothing since: it sees what its answer tells. That is what is new
 * since then, of what came with it the last that is older, and what holds where nothing is new.
 */
function sinceBirth(
  all: readonly Fact[],
  born: number,
  { beginsWith = 'newest', passedOver = 0 }: Outlook,
): readonly Fact[] {
  const older = all.filter(({ time, number }) => time <= born && number > 0);
  const told = older.toSorted((left, right) => left.number - right.number);
  const held = (beginsWith === 'last told' ? told : older).slice(-1);
  const since = all.filter(({ time, number }) => time > born && number > 0);
  const unseen = since.filter(({ number }) => number > passedOver);
  if (passedOver > 0 && unseen.length > 0) return unseen;
  const news = passedOver > 0 ? since.slice(-1) : since;
  return beginsWith === 'nothing older' && news.length > 0 ? news : [...held, ...news];
}

function times(facts: readonly Fact[]): readonly number[] {
  return facts.map(({ time }) => time);
}

function newestTime(known: readonly Fact[]): number {
  return Math.max(0, ...times(known));
}
