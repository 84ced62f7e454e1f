import type { Fact } from './facts.ts';
import { priceFor, type Value } from './formulas.ts';
import type { OracleClause } from './rule.ts';

/**
 * What a metric was at a moment, by what was known then, in the order of time; prices say nothing of
 * one that the clock moves.
 */
export function valueAt(clause: OracleClause, known: readonly Fact[], time: number): Value {
  const { formula } = clause;
  return formula.of === 'clock' ? undefined : formula.value({ clause, known, time });
}

/** Whether a fact reports a clause another price than the one that was reported before it. */
export function isAnother(clause: OracleClause, fact: Fact, before: Fact | undefined): boolean {
  return priceFor(clause, fact) !== priceFor(clause, before);
}

/**
 * The value furthest beyond that a limit has seen between two moments, and what was reported of it.
 */
export function furthest(
  clause: OracleClause,
  all: readonly Fact[],
  { from, to }: { readonly from: number; readonly to: number },
  lastReported: bigint | undefined,
): bigint | undefined {
  const moments = all
    .flatMap(({ time }) => [time, time + clause.window])
    .filter((moment) => moment >= from && moment <= to);
  const values = moments.map((moment) =>
    valueAt(
      clause,
      all.filter(({ time }) => time <= moment),
      moment,
    ),
  );
  const seen = [lastReported, ...values].filter((value) => typeof value === 'bigint');
  const sorted = seen.toSorted((left, right) => (left < right ? -1 : 1));
  return clause.when === 'below' ? sorted[0] : sorted.at(-1);
}
