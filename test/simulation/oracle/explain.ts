import type { Past, View } from '#test/simulation/witnesses/contract-witness.ts';
import { beliefText, stateText, type WatchItem } from '#test/simulation/witnesses/watch-item.ts';
import type { Belief, Thought, Utterance } from './belief.ts';
import { thinkByClock } from './clock.ts';
import { type Fact, type Forecast, newestOf } from './facts.ts';
import { think } from './oracle.ts';
import { withoutOutliers } from './outliers.ts';
import { isOfClock, looksFurther, type OracleRule } from './rule.ts';

/** What the oracle thinks of a watch, and after which view of its contract. */
export type Explanation = {
  readonly thought: Thought;
  readonly view: number;
  /** Whether the watch is in the state that it must be in. */
  readonly isRight: boolean;
  /** What is wrong with its alerts. */
  readonly wrong: readonly string[];
};

/** What a watch says of itself, and what is wrong with what it has reported. */
export type Claim = {
  readonly watch: WatchItem;
  readonly wrongIn: (said: readonly Utterance[]) => readonly string[];
};

type Believed = { readonly rule: OracleRule; readonly belief: Belief; readonly seen: number };

/** What is known of a contract by now. */
type Latest = {
  readonly facts: readonly Fact[];
  readonly views: readonly View[];
  readonly past: Past;
};

/** From when on whoever wrote a watch has looked at its contract, and when it wrote. */
type Span = { readonly from: number; readonly to: number };

/**
 * What leads from a belief to what a watch says, by what whoever wrote it may have seen; without a
 * claim, whether all that is known by now leaves the belief as it is.
 */
export function explain(
  believed: Believed,
  known: Latest,
  claim: Claim | undefined,
  span: Span,
): Explanation {
  const { belief, rule } = believed;
  const waits = !rule.takesOutliers && !isOfClock(rule.clauses[0]);
  const latest = waits ? { ...known, facts: withoutOutliers(known.facts) } : known;
  const wanted = claim === undefined ? beliefText(belief) : stateText(claim.watch);
  let best: Explanation | undefined;
  const thoughts = isOfClock(rule.clauses[0])
    ? byClock(believed, latest, claim?.watch, span)
    : byData(believed, latest, claim === undefined);
  for (const { thought, view } of thoughts) {
    const isRight = beliefText(thought.belief) === wanted;
    const wrong = (isRight && claim?.wrongIn(thought.said)) || [];
    const isFlawless = isRight && wrong.length === 0;
    if (isFlawless && (claim === undefined || hasSeenAsMuch(believed, thought, latest, claim))) {
      return { thought, view, isRight, wrong };
    }
    const isBetter = best === undefined || (isRight && !best.isRight);
    if (isBetter || (isFlawless && (best?.wrong.length ?? 0) > 0)) {
      best = { thought, view, isRight, wrong };
    }
  }
  const thought = { belief, said: [] };
  return best ?? { thought, view: believed.seen, isRight: claim === undefined, wrong: [] };
}

/** Several views may look alike: a watch says itself which was the newest it saw. */
function hasSeenAsMuch(
  { rule }: Believed,
  { belief }: Thought,
  { facts }: Latest,
  { watch }: Claim,
): boolean {
  if (isOfClock(rule.clauses[0])) return true;
  const seen = facts.filter(
    ({ part, number }) => number <= belief.evaluated && rule.parts.includes(part),
  );
  return seen.at(-1)?.number === watch.evaluatedSeq;
}

type Possible = { readonly thought: Thought; readonly view: number };

/** What can be thought by looks at what was reported: the likeliest first. */
function* byData(
  { rule, belief, seen }: Believed,
  { facts, views, past }: Latest,
  mustBeNewest: boolean,
): Generator<Possible> {
  const before: Thought = { belief, said: [] };
  const last = views.length - 1;
  const starts: Thought[] = [before];
  if (looksFurther(rule)) {
    // Each view is looked at, one after the other.
    const chain: Possible[] = [];
    for (let view = seen; view <= last; view += 1) {
      const thought = think(rule, starts.at(-1) ?? before, facts, views[view] as View);
      starts.push(thought);
      chain.push({ thought, view });
    }
    yield* mustBeNewest ? chain.slice(-1) : chain.toReversed();
    if (!mustBeNewest) yield* lookedAtAgain(rule, chain, facts, views);
    if (!mustBeNewest) yield* slidAgain(rule, belief, chain, facts, views);
    if (!mustBeNewest) yield* passedBy(rule, belief, chain, facts, views);
  }
  // Some of the views are not looked at, or by who was interrupted.
  const oldest = mustBeNewest ? last : Math.max(0, seen - 1);
  for (let view = last; view >= oldest; view -= 1) {
    const forecast = views[view];
    if (forecast === undefined) return;
    const forecasts = forecastsOn(rule, belief, forecast, past);
    const interrupted = mustBeNewest ? [] : [{ ...forecast, answered: {} }];
    for (const possible of [...forecasts, ...interrupted]) {
      for (const start of starts.slice(0, Math.max(1, view - seen + 1))) {
        yield { thought: think(rule, start, facts, possible), view };
      }
    }
  }
}

/**
 * Where the past was reported since, an evaluation that is about something else sees the newest in
 * its light.
 */
function* lookedAtAgain(
  rule: OracleRule,
  chain: readonly Possible[],
  facts: readonly Fact[],
  views: readonly View[],
): Generator<Possible> {
  for (const { thought, view } of chain) {
    const forecast = views[view];
    if (forecast === undefined || forecast.past.length === views[view - 1]?.past.length) continue;
    const known = facts.filter(
      ({ part, number }) => number <= forecast.upTo && rule.parts.includes(part),
    );
    const evaluated = (known.at(-1)?.number ?? 0) - 1;
    const { belief } = thought;
    if (evaluated >= belief.evaluated) continue;
    const before = { ...thought, belief: { ...belief, evaluated } };
    yield { thought: think(rule, before, facts, { ...forecast, isAgain: true }), view };
  }
}

/**
 * Who was cut short has slid to no avail: the next slides again, by what of the past is reported by
 * then.
 */
function* slidAgain(
  rule: OracleRule,
  belief: Belief,
  [known, ...later]: readonly Possible[],
  facts: readonly Fact[],
  views: readonly View[],
): Generator<Possible> {
  for (const { view } of later) {
    const forecast = views[view];
    const seen = known === undefined ? undefined : views[known.view];
    if (forecast === undefined || forecast.past.length === seen?.past.length) continue;
    const before = { belief: { ...belief, windowsExpiredTo: belief.movedAt }, said: [] };
    yield { thought: think(rule, before, facts, forecast), view };
  }
}

/**
 * Evaluations that would not move a watch do not read it: what they have evaluated is known to the
 * one that does, and meets what comes late; its timers come when the index reports them.
 */
function* passedBy(
  rule: OracleRule,
  belief: Belief,
  chain: readonly Possible[],
  facts: readonly Fact[],
  views: readonly View[],
): Generator<Possible> {
  const { for: wait, keepFor } = rule;
  const without = {
    ...rule,
    for: wait && FOREVER,
    keepFor: keepFor && FOREVER,
    reminder: undefined,
  };
  for (const [index, { view }] of chain.entries()) {
    const seen = views[view];
    if (seen === undefined) return;
    const byNews = think(without, { belief, said: [] }, facts, seen).belief;
    if (byNews.state !== belief.state || byNews.stateSince !== belief.stateSince) return;
    // Who comes after that meets the newest of each part once more.
    const known = facts.filter(({ number }) => number <= seen.upTo);
    const newest = rule.parts.map((part) => newestOf(part, known)?.number ?? 0);
    const unread = newest.filter((number) => number > belief.evaluated);
    for (const upTo of [seen.upTo, Math.min(seen.upTo, ...unread) - 1]) {
      const before = {
        belief: { ...belief, evaluated: Math.max(belief.evaluated, upTo) },
        said: [],
      };
      for (const { view: later } of chain.slice(index)) {
        const forecast = views[later];
        if (forecast === undefined) return;
        yield { thought: think(rule, before, facts, forecast), view: later };
      }
    }
  }
}

const FOREVER = Number.POSITIVE_INFINITY;

/**
 * The past as an evaluation may have read it: before it was filled in or reported anew, or after
 * that.
 */
function forecastsOn(
  rule: OracleRule,
  { isWaiting }: Belief,
  view: View,
  past: Past,
): readonly Forecast[] {
  const asObserved = { ...view, past: [] };
  // Who looks at other watches' windows as well knows what was recorded between observations, and
  // reminds of that.
  const isAsCommitted = !looksFurther(rule) && rule.reminder === undefined && !past.isCorrected;
  const filled = view.past === past.floors ? [] : [{ ...view, past: past.floors }];
  if (isAsCommitted && !isWaiting) return [asObserved, view, ...filled];
  return [
    view,
    ...filled,
    ...(view.since === past.since ? [] : [{ ...view, past: past.floors, since: past.since }]),
    ...(past.isCorrected ? [{ ...view, isRecordedLate: true }] : []),
    asObserved,
  ];
}

/** What can be thought at the moment that a watch claims, by what was known at its time. */
function* byClock(
  { rule, belief, seen }: Believed,
  { facts, views }: Latest,
  watch: WatchItem | undefined,
  { from, to }: Span,
): Generator<Possible> {
  const claimed = watch === undefined ? to : claimedMoment(watch);
  // At its end it is seen as it was then, whenever that is; one that has recovered by then is not expired.
  const isAtEnd = watch?.admin === 'expired' || claimed + 1 === rule.expiresAt;
  const moment = isAtEnd ? Math.max(claimed, from) : claimed;
  if (moment < from || moment > to) return;
  const newest = views.length - 1;
  // Before the first view nothing is known.
  const oldest = watch === undefined ? newest : views.findLastIndex(({ at }) => at <= from);
  for (let view = newest; view >= oldest; view -= 1) {
    // What was reported otherwise before that moment says nothing of it.
    const knownUntil = views[view + 1]?.at ?? to;
    if (knownUntil < moment) return;
    const before = { belief, said: [] };
    yield { thought: thinkByClock(rule, before, facts, views[view], moment), view: seen };
  }
}

/** The moment at which a watch has moved, as it says itself. */
function claimedMoment({ outbox, stateSince }: WatchItem): number {
  const known = outbox.findLast(({ kind }) => kind !== 'summary');
  return Math.max(stateSince ?? 0, known === undefined ? 0 : Date.parse(known.at));
}
