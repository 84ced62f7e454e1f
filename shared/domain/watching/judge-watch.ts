import { HOUR, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import type { Observation } from '#shared/domain/market/point.ts';
import { clausesIn, type Meaning } from '#shared/domain/rules/alert-rule.ts';
import { isClock, slidesBetween, windowOf } from '#shared/domain/rules/metric.ts';
import type { Cause } from './cause.ts';
import {
  answeredAtOf,
  countedFrom,
  type Evidence,
  heldAt,
  isUnobservedAt,
  judgedBefore,
  knownAsOf,
  knownBefore,
  knownOf,
  minutesSince,
  newestOf,
  observationsAbove,
  unjudgedOf,
} from './evidence.ts';
import { type Known, newestTime } from './measure.ts';
import { move, pass, withoutValue } from './transitions.ts';
import { verdictOf } from './verdict.ts';
import {
  isEpisodeOpen,
  lookBackOf,
  nextInstant,
  ownInstant,
  partsOfWatch,
  type Watch,
} from './watch.ts';

/** The moment of a look, and what makes a transition late. */
export type LookTime = { readonly now: Instant; readonly cadenceMinutes: number };

/** Hourly data of an hour-old vendor cache are not late. */
const VENDOR_DELAY = HOUR;

/**
 * Judges a watch by every observation it has not judged yet, by every slide of its windows and by
 * every instant of its own that has come, in the order of the data, and puts the alerts of its
 * transitions into its outbox. The same watch comes back when nothing moved.
 *
 * An instant is judged once an answer asked for at or after it is in, with the value that held
 * then. At one time, observations come before slides, and slides before instants.
 */
export function judgeWatch(watch: Watch, evidence: Evidence, time: LookTime): Watch {
  if (watch.admin !== 'enabled') return watch;
  if (isClock(watch.meaning.metric)) return judgeByClock(watch, evidence, time);
  const parts = partsOfWatch(watch);
  const answeredAt = answeredAtOf(evidence, parts);
  const isAnswered = answeredAt !== undefined && answeredAt > watch.since;
  if (watch.state === 'unknown') {
    return isAnswered ? begin(watch, evidence, answeredAt, time) : watch;
  }
  // Neither does a rule that goes on after its end go by what was answered before.
  if (watch.judgedSeq === 0 && !isAnswered) return watch;
  const limit = answeredAt ?? 0;
  const all = knownOf(evidence, parts);
  const above = observationsAbove(evidence, parts, watch.judgedSeq);
  const observations = watch.judgedSeq > 0 ? above : heldAndAfter(watch.since, above);
  const slides = slidesOf(watch, evidence, limit);
  // What comes late meets what was judged before it, also where that moved nothing.
  const judgedSeq = Math.max(watch.judgedSeq, judgedBefore(evidence));
  const look = { evidence, judgedSeq, time, all };
  let judging: Judging = { watch, slides };
  for (const observation of observations) {
    judging = passInstants(judging, observation.point.time - 1, evidence, time);
    judging = { ...judging, watch: observe(judging.watch, observation, look) };
  }
  const judged = passInstants(judging, limit, evidence, time).watch;
  if (judged === watch) return watch;
  // All of it is judged, also what moved nothing: it must not meet the state that came after it.
  const judgedUntil = Math.max(judged.judgedUntil ?? 0, slides.at(-1) ?? 0);
  return {
    ...judged,
    judgedSeq: Math.max(judged.judgedSeq, ...above.map(({ seq }) => seq)),
    ...(judgedUntil === 0 ? {} : { judgedUntil }),
  };
}

/**
 * What a watch has to judge whose rule goes on after its end: of what was observed before, it sees
 * only what held. Of the others it was not to speak. What a look has taken off before all its parts
 * were answered is of that time, too.
 */
function heldAndAfter(
  since: Instant,
  observations: readonly Observation[],
): readonly Observation[] {
  const held = observations.findLastIndex(({ point }) => point.time <= since);
  return observations.slice(Math.max(0, held));
}

/** A watch under judgement, with the slides of its windows that are still to come. */
type Judging = { readonly watch: Watch; readonly slides: readonly Instant[] };

/**
 * A new watch starts with the newest of an answer that was asked for after the watch came to be:
 * what lies before that happened before anyone watched.
 */
function begin(watch: Watch, evidence: Evidence, answeredAt: Instant, time: LookTime): Watch {
  const parts = partsOfWatch(watch);
  const newest = newestOf(evidence, parts);
  const last = newest.at(-1);
  if (last === undefined) return watch;
  const seq = Math.max(...newest.map((observation) => observation.seq));
  const all = knownOf(evidence, parts);
  const pointTime = last.point.time;
  const slides = slidesIn(watch.meaning, all, pointTime, answeredAt);
  const moment = slides.at(-1) ?? pointTime;
  // A watch that starts with what was there before it has missed nothing.
  const cause = { time: moment, known: all, late: false, now: time.now, all };
  const before = { known: knownBefore(evidence, parts, last), time: moment - 1 };
  const begun = judge(watch, { ...cause, before }, seq);
  return begun.state === 'unknown'
    ? begun
    : passInstants({ watch: begun, slides: [] }, answeredAt, evidence, time).watch;
}

type Look = {
  readonly evidence: Evidence;
  /** The number up to which all had been judged before. */
  readonly judgedSeq: number;
  readonly time: LookTime;
  readonly all: Known;
};

/** Judges one observation with what was known when it had been accepted. */
function observe(watch: Watch, observation: Observation, look: Look): Watch {
  const { seq, point } = observation;
  const parts = partsOfWatch(watch);
  const known = knownAsOf(look.evidence, parts, observation, look.judgedSeq);
  // Where more than one number is looked at, none of the others may be older than what was judged.
  const time = isDerived(watch) ? Math.max(newestTime(known), watch.judgedUntil ?? 0) : point.time;
  const earlier = knownBefore(look.evidence, parts, observation, look.judgedSeq);
  const before = { known: earlier, time: time - 1 };
  // What is found after an end was not missed: nobody watched.
  const isFound = watch.judgedSeq === 0 && point.time <= watch.since;
  const late = !isFound && isLate(point.time, look.time);
  const about = { late, now: look.time.now, all: look.all };
  const isRevision =
    earlier.get(observation.part)?.at(-1)?.time === point.time &&
    typeof verdictOf(watch, { ...before, ...about }) === 'object';
  return judge(watch, { time, known, before, isRevision, ...about }, seq);
}

/** Lets the slides of a watch's windows and its own instants pass, up to and including a limit. */
function passInstants(
  judging: Judging,
  limit: Instant,
  evidence: Evidence,
  time: LookTime,
): Judging {
  const parts = partsOfWatch(judging.watch);
  let { watch, slides } = judging;
  for (;;) {
    const own = ownInstant(watch) ?? Number.POSITIVE_INFINITY;
    const slide = slides[0] ?? Number.POSITIVE_INFINITY;
    const instant = Math.min(own, slide);
    if (instant > limit || hasExpired(watch, instant)) return { watch, slides };
    const known = heldAt(evidence, parts, instant);
    const isKnown = [...known.values()].some((points) => points.length > 0);
    if (!isKnown) return { watch, slides };
    const late = isLate(instant, time);
    const all = knownOf(evidence, parts);
    const cause: Cause = { time: instant, known, late, now: time.now, all };
    const before = { known, time: instant - 1 };
    if (slide <= own) {
      // One that counts observations is moved by those alone until it fires.
      const isCounting = watch.meaning.confirm !== undefined && !isEpisodeOpen(watch);
      watch = isCounting ? watch : judge(watch, { ...cause, before });
      slides = slides.slice(1);
    } else {
      // Nobody has judged whether what it waits for has held until then.
      const isUnobserved = isUnobservedAt(evidence, parts, instant);
      const held = isUnobserved ? judge(watch, { ...cause, before }) : watch;
      watch = ownInstant(held) === own ? pass(held, cause) : held;
    }
  }
}

/**
 * The slides that a watch has to judge: those that no finished look has judged, and those after
 * news that came late, since what was taken to hold then did not.
 */
function slidesOf(watch: Watch, evidence: Evidence, limit: Instant): readonly Instant[] {
  const { meaning, judgedSeq, judgedUntil = 0 } = watch;
  const news = unjudgedOf(evidence, partsOfWatch(watch)).filter(({ seq }) => seq > judgedSeq);
  const settled = Math.min(evidence.slidUntil ?? limit, ...news.map(({ point }) => point.time));
  const after = Math.max(settled, judgedUntil);
  return slidesIn(meaning, knownOf(evidence, ['floor']), after, limit);
}

/** The instants at which a point leaves one of a meaning's windows, each once. */
function slidesIn(
  meaning: Meaning,
  known: Known,
  after: Instant,
  until: Instant,
): readonly Instant[] {
  const floor = known.get('floor') ?? [];
  const instants = clausesIn(meaning).flatMap(({ metric }) => {
    const window = windowOf(metric);
    return window === undefined ? [] : slidesBetween(window, floor, after, until);
  });
  return [...new Set(instants)].toSorted((a, b) => a - b);
}

/**
 * Judges a metric that the clock moves by the moment of the look: data may be missing because the
 * provider is.
 */
function judgeByClock(watch: Watch, evidence: Evidence, { now }: LookTime): Watch {
  if (hasExpired(watch, now)) return watch;
  const { metric } = watch.meaning;
  const [part] = partsOfWatch(watch);
  const known = part === undefined ? undefined : evidence.parts[part];
  const countsFrom = isClock(metric) ? countedFrom(metric, known, now) : undefined;
  const clock = minutesSince(countsFrom ?? watch.since, now);
  const all = knownOf(evidence, part === undefined ? [] : [part]);
  const cause: Cause = { time: now, known: all, late: false, now, all, clock };
  const { editedAt, ...seen } = watch;
  // What was told before a rule's end is forgotten with its part: nothing is over until it is told again.
  const isFromBefore = isEpisodeOpen(watch) && (watch.firedAt ?? 0) <= watch.since;
  if (countsFrom === undefined && isFromBefore) return editedAt === undefined ? watch : seen;
  const isTheSame = countsFrom === undefined && editedAt === undefined;
  const counting = isTheSame ? watch : { ...seen, ...(countsFrom !== undefined && { countsFrom }) };
  const judged = passOwn(judge(counting, cause), cause);
  // The moment it counts from is kept for its appointments: written when one has come.
  const isDue = (nextInstant(watch) ?? Number.POSITIVE_INFINITY) <= now;
  const isFirst = watch.countsFrom === undefined;
  return judged !== counting || isDue || isFirst ? judged : watch;
}

/** Lets the instants of its own pass that have come. */
function passOwn(watch: Watch, cause: Cause): Watch {
  const instant = ownInstant(watch);
  return instant === undefined || instant > cause.now ? watch : passOwn(pass(watch, cause), cause);
}

/** Judges what is known at some moment; `seq` is the number of the observation that told it. */
function judge(watch: Watch, cause: Cause, seq?: number): Watch {
  if (hasExpired(watch, cause.time)) return watch;
  const verdict = verdictOf(watch, cause);
  if (verdict === undefined) return withoutUnmet(watch);
  const moved = verdict === 'no_sale' ? withoutValue(watch, cause) : move(watch, verdict, cause);
  const { position, unmet } = verdict === 'no_sale' ? watch : verdict;
  if (moved === watch && position === watch.position && unmet === watch.unmet) return watch;
  const { position: _stood, unmet: _lacked, ...rest } = moved;
  return {
    ...rest,
    ...(position === undefined ? {} : { position }),
    ...(unmet === undefined ? {} : { unmet }),
    judgedSeq: seq ?? moved.judgedSeq,
    ...(isDerived(watch) ? { judgedUntil: cause.time } : {}),
  };
}

/**
 * Where it is not known whether conditions hold together, none is known not to hold: the one that a
 * watch has waited for may hold by now, and the next news of any may complete them.
 */
function withoutUnmet(watch: Watch): Watch {
  if (watch.unmet === undefined) return watch;
  const { unmet: _stale, position: _itsSide, ...rest } = watch;
  return rest;
}

function hasExpired({ expiresAt }: Watch, instant: Instant): boolean {
  return expiresAt !== undefined && instant >= expiresAt;
}

function isLate(dataTime: Instant, { now, cadenceMinutes }: LookTime): boolean {
  return now - dataTime > 2 * cadenceMinutes * MINUTE + VENDOR_DELAY;
}

/** Whether a watch looks at more than the newest price of one part. */
function isDerived(watch: Watch): boolean {
  return partsOfWatch(watch).length > 1 || lookBackOf(watch) > 0;
}
