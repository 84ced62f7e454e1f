import type { Past, View } from '#test/simulation/invariants/contract-invariants.ts';
import {
  modelStateText,
  stateText,
  type WatchItem,
} from '#test/simulation/invariants/watch-item.ts';
import { predictByClock } from './clock.ts';
import { type Fact, type Forecast, newestOf } from './facts.ts';
import { missFirstValue } from './laws.ts';
import type { ExpectedAlert, ModelState, Prediction } from './model.ts';
import { predict } from './oracle.ts';
import { withoutOutliers } from './outliers.ts';
import { isOfClock, looksFurther, type OracleRule } from './rule.ts';

/** What the oracle thinks of a watch, and after which view of its contract. */
export type Explanation = {
  readonly prediction: Prediction;
  readonly view: number;
  /** Whether the watch is in the state that it must be in. */
  readonly isRight: boolean;
  /** What is wrong with its alerts. */
  readonly wrong: readonly string[];
};

/** What a watch says of itself, and what is wrong with what it has reported. */
export type Claim = {
  readonly watch: WatchItem;
  readonly wrongIn: (said: readonly ExpectedAlert[]) => readonly string[];
};

type Believed = {
  readonly rule: OracleRule;
  readonly modelState: ModelState;
  readonly seen: number;
};

/** What is known of a contract by now. */
export type Latest = {
  readonly facts: readonly Fact[];
  readonly views: readonly View[];
  readonly past: Past;
};

/** From when on the writer of a watch has looked at its contract, and when it wrote. */
type Span = { readonly from: number; readonly to: number };

/**
 * What leads from a model state to what a watch says, by what its writer may have seen;
 * without a claim, whether all that is known by now leaves the model state as it is.
 */
export function explain(
  believed: Believed,
  known: Latest,
  claim: Claim | undefined,
  span: Span,
): Explanation {
  const { modelState, rule } = believed;
  const waits = !rule.takesOutliers && !isOfClock(rule.clauses[0]);
  const latest = waits ? { ...known, facts: withoutOutliers(known.facts) } : known;
  const wanted = claim === undefined ? modelStateText(modelState) : stateText(claim.watch);
  let best: Explanation | undefined;
  const predictions = isOfClock(rule.clauses[0])
    ? byClock(believed, latest, claim?.watch, span)
    : byData(believed, latest, claim === undefined);
  for (const { prediction: byThen, view } of predictions) {
    const prediction = missFirstValue(rule, byThen, span.to);
    const isRight = modelStateText(prediction.modelState) === wanted;
    const wrong = (isRight && claim?.wrongIn(prediction.said)) || [];
    const isFlawless = isRight && wrong.length === 0;
    if (isFlawless && (claim === undefined || hasSeenAsMuch(believed, prediction, latest, claim))) {
      return { prediction, view, isRight, wrong };
    }
    const isBetter = best === undefined || (isRight && !best.isRight);
    if (isBetter || (isFlawless && (best?.wrong.length ?? 0) > 0)) {
      best = { prediction, view, isRight, wrong };
    }
  }
  const prediction = { modelState, said: [] };
  return best ?? { prediction, view: believed.seen, isRight: claim === undefined, wrong: [] };
}

/** Several views may look alike: a watch says itself which was the newest it saw. */
function hasSeenAsMuch(
  { rule }: Believed,
  { modelState }: Prediction,
  { facts }: Latest,
  { watch }: Claim,
): boolean {
  if (isOfClock(rule.clauses[0])) return true;
  const seen = facts.filter(
    ({ part, number }) => number <= modelState.evaluated && rule.parts.includes(part),
  );
  return seen.at(-1)?.number === watch.evaluatedSeq;
}

type Possible = { readonly prediction: Prediction; readonly view: number };

/** What can be thought by looks at what was reported: the likeliest first. */
function* byData(
  { rule, modelState, seen }: Believed,
  { facts, views, past }: Latest,
  mustBeNewest: boolean,
): Generator<Possible> {
  const before: Prediction = { modelState, said: [] };
  const last = views.length - 1;
  const starts: Prediction[] = [before];
  if (looksFurther(rule)) {
    // Each view is looked at, one after the other.
    const chain: Possible[] = [];
    for (let view = seen; view <= last; view += 1) {
      const prediction = predict(rule, starts.at(-1) ?? before, facts, views[view] as View);
      starts.push(prediction);
      chain.push({ prediction, view });
    }
    yield* mustBeNewest ? chain.slice(-1) : chain.toReversed();
    if (!mustBeNewest) yield* lookedAtAgain(rule, chain, facts, views);
    if (!mustBeNewest) yield* slidAgain(rule, modelState, chain, facts, views);
    if (!mustBeNewest) yield* passedBy(rule, modelState, chain, facts, views);
  }
  // Some of the views are not looked at, or by a worker that was interrupted.
  const oldest = mustBeNewest ? last : Math.max(0, seen - 1);
  for (let view = last; view >= oldest; view -= 1) {
    const forecast = views[view];
    if (forecast === undefined) return;
    const forecasts = forecastsOn(rule, modelState, forecast, past);
    const interrupted = mustBeNewest ? [] : [{ ...forecast, answered: {} }];
    for (const possible of [...forecasts, ...interrupted]) {
      for (const start of starts.slice(0, Math.max(1, view - seen + 1))) {
        yield { prediction: predict(rule, start, facts, possible), view };
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
  for (const { prediction, view } of chain) {
    const forecast = views[view];
    if (forecast === undefined || forecast.past.length === views[view - 1]?.past.length) continue;
    const known = facts.filter(
      ({ part, number }) => number <= forecast.upTo && rule.parts.includes(part),
    );
    const evaluated = (known.at(-1)?.number ?? 0) - 1;
    const { modelState } = prediction;
    if (evaluated >= modelState.evaluated) continue;
    const before = { ...prediction, modelState: { ...modelState, evaluated } };
    yield { prediction: predict(rule, before, facts, { ...forecast, isAgain: true }), view };
  }
}

/**
 * A worker that was cut short has slid to no avail: the next slides again, by what of the past is
 * reported by then. A contract without windows before slides from the birth of its first such watch.
 */
function* slidAgain(
  rule: OracleRule,
  modelState: ModelState,
  [known, ...later]: readonly Possible[],
  facts: readonly Fact[],
  views: readonly View[],
): Generator<Possible> {
  for (const { view } of later) {
    const forecast = views[view];
    const seen = known === undefined ? undefined : views[known.view];
    if (forecast === undefined || forecast.past.length === seen?.past.length) continue;
    const { movedAt, born } = modelState;
    for (const windowsExpiredTo of new Set([movedAt, Math.max(movedAt, born)])) {
      const before = { modelState: { ...modelState, windowsExpiredTo }, said: [] };
      yield { prediction: predict(rule, before, facts, forecast), view };
    }
  }
}

/**
 * Evaluations that would not move a watch do not read it: what they have evaluated is known to the
 * one that does, and meets what comes late; its timers come when the index reports them.
 */
function* passedBy(
  rule: OracleRule,
  modelState: ModelState,
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
    const byNews = predict(without, { modelState, said: [] }, facts, seen).modelState;
    if (byNews.state !== modelState.state || byNews.stateSince !== modelState.stateSince) return;
    // The next worker meets the newest of each part once more.
    const known = facts.filter(({ number }) => number <= seen.upTo);
    const newest = rule.parts.map((part) => newestOf(part, known)?.number ?? 0);
    const unread = newest.filter((number) => number > modelState.evaluated);
    for (const upTo of [seen.upTo, Math.min(seen.upTo, ...unread) - 1]) {
      const before = {
        modelState: { ...modelState, evaluated: Math.max(modelState.evaluated, upTo) },
        said: [],
      };
      for (const { view: later } of chain.slice(index)) {
        const forecast = views[later];
        if (forecast === undefined) return;
        yield { prediction: predict(rule, before, facts, forecast), view: later };
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
  { isWaiting }: ModelState,
  view: View,
  past: Past,
): readonly Forecast[] {
  const asObserved = { ...view, past: [], alsoRecorded: past.floors };
  // A worker that looks at other watches' windows as well knows what was recorded between observations, and
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
    ...(looksFurther(rule) ? [{ ...view, isEvaluatedBefore: true }] : []),
  ];
}

/** What can be thought at the moment that a watch claims, by what was known at its time. */
function* byClock(
  { rule, modelState, seen }: Believed,
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
    const before = { modelState, said: [] };
    yield { prediction: predictByClock(rule, before, facts, views[view], moment), view: seen };
  }
}

/** The moment at which a watch has moved, as it says itself. */
function claimedMoment({ outbox, stateSince }: WatchItem): number {
  const known = outbox.findLast(({ kind }) => kind !== 'summary');
  return Math.max(stateSince ?? 0, known === undefined ? 0 : Date.parse(known.at));
}
