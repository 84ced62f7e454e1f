import type { View } from '#test/simulation/invariants/contract-invariants.ts';
import type { Fact } from './facts.ts';
import { nextTimer, observe, pass } from './laws.ts';
import type { Prediction } from './model.ts';
import { endedBy } from './oracle.ts';
import type { OracleRule } from './rule.ts';

/** Looks at the clock: how old the data are, or for how long there was no answer. */
export function predictByClock(
  rule: OracleRule,
  before: Prediction,
  facts: readonly Fact[],
  view: View | undefined,
  lookedAt: number,
): Prediction {
  if (before.modelState.isOver) return before;
  // Before its end it is looked at once more, as it was at the last moment.
  const now = Math.min(lookedAt, (rule.expiresAt ?? Number.POSITIVE_INFINITY) - 1);
  const known = facts.filter(({ number }) => number <= (view?.upTo ?? 0));
  const from = countsFrom(rule, known, view, now) ?? before.modelState.born;
  const clock = (BigInt(Math.max(0, now - from)) * 10n ** 18n) / 60_000n;
  const moment = { time: now, known, all: [known], newsAt: undefined, clock };
  let prediction = observe(rule, before, moment);
  for (
    let instant = nextTimer(rule, prediction.modelState);
    instant !== undefined && instant <= now;
    instant = nextTimer(rule, prediction.modelState)
  ) {
    prediction = pass(rule, prediction, moment);
  }
  return endedBy(rule, prediction, lookedAt);
}

/** Since when there is nothing new; undefined where nothing was ever reported. */
function countsFrom(
  { clauses: [{ formula, parts }] }: OracleRule,
  known: readonly Fact[],
  view: View | undefined,
  now: number,
): number | undefined {
  const [part = ''] = parts;
  return formula.of === 'clock' ? formula.countsFrom({ part, known, view, now }) : undefined;
}
