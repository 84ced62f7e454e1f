import type { Belief, Thought } from './belief.ts';
import type { View } from './contract-witness.ts';
import type { Fact, Outlook } from './facts.ts';
import { think } from './oracle.ts';
import { thinkByClock } from './oracle-clock.ts';
import { isOfClock, looksFurther, type OracleRule } from './oracle-rule.ts';
import { beliefText, stateText, type WatchItem } from './watch-item.ts';

/** What the oracle thinks of a watch, and after which view of its contract. */
export type Explanation = {
  readonly thought: Thought;
  readonly view: number;
  /** Whether the watch says the same. */
  readonly isRight: boolean;
};

type Believed = { readonly rule: OracleRule; readonly belief: Belief; readonly seen: number };

/** What is known of a contract by now. */
type Latest = {
  readonly facts: readonly Fact[];
  readonly views: readonly View[];
  readonly past: readonly Fact[];
};

/** From when on whoever wrote a watch has looked at its contract, and when it wrote. */
type Span = { readonly from: number; readonly to: number };

/**
 * What leads from a belief to what a watch says, by what whoever wrote it may have seen; without a
 * watch, whether all that is known by now leaves the belief as it is.
 */
export function explain(
  believed: Believed,
  latest: Latest,
  watch: WatchItem | undefined,
  span: Span,
): Explanation {
  const { belief, rule } = believed;
  const wanted = watch === undefined ? beliefText(belief) : stateText(watch);
  let first: Explanation | undefined;
  const thoughts = isOfClock(rule.clauses[0])
    ? byClock(believed, latest, watch, span)
    : byData(believed, latest, watch === undefined);
  for (const { thought, view } of thoughts) {
    const isRight = beliefText(thought.belief) === wanted;
    if (isRight) return { thought, view, isRight };
    first ??= { thought, view, isRight };
  }
  return (
    first ?? { thought: { belief, said: [] }, view: believed.seen, isRight: watch === undefined }
  );
}

type Possible = { readonly thought: Thought; readonly view: number };

/** What can be thought by looks at what was told: the likeliest first. */
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
  }
  // Some of the views are not looked at, or by who was interrupted.
  for (let view = last; view >= (mustBeNewest ? last : Math.max(0, seen - 1)); view -= 1) {
    const outlook = views[view];
    if (outlook === undefined) return;
    const variants: readonly Outlook[] = [
      outlook,
      ...(outlook.past === past || !looksFurther(rule) ? [] : [{ ...outlook, past }]),
      ...(mustBeNewest ? [] : [{ ...outlook, answered: {} }]),
    ];
    for (const variant of variants) {
      for (const start of starts.slice(0, Math.max(1, view - seen + 1))) {
        yield { thought: think(rule, start, facts, variant), view };
      }
    }
  }
}

/** What can be thought at the moment that a watch claims, by what was known at its time. */
function* byClock(
  { rule, belief, seen }: Believed,
  { facts, views }: Latest,
  watch: WatchItem | undefined,
  { from, to }: Span,
): Generator<Possible> {
  const moment = watch === undefined ? to : claimedMoment(watch);
  if (moment === undefined || moment < from || moment > to) return;
  const newest = views.findLastIndex(({ at }) => at <= to);
  const oldest = watch === undefined ? newest : views.findLastIndex(({ at }) => at <= from);
  for (let view = newest; view >= Math.max(0, oldest); view -= 1) {
    const before = { belief, said: [] };
    yield { thought: thinkByClock(rule, before, facts, views[view], moment), view: seen };
  }
  if (oldest < 0) {
    const before = { belief, said: [] };
    yield { thought: thinkByClock(rule, before, facts, undefined, moment), view: seen };
  }
}

/** The moment at which a watch has moved, as it says itself. */
function claimedMoment({ outbox, stateSince }: WatchItem): number | undefined {
  const told = outbox.findLast(({ kind }) => kind !== 'summary');
  return Math.max(stateSince ?? 0, told === undefined ? 0 : Date.parse(told.at));
}
