import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { familyOf } from '#shared/domain/metrics/metric.ts';
import { type AlertRule, clausesOf } from './alert-rule.ts';
import { type Clause, conditionOf, decimal } from './clause.ts';
import { isBeyond } from './condition.ts';

/**
 * Warnings about a valid rule that probably does not do what its author intends. `isConfirming`:
 * whether the stack has a second source of floors.
 */
export function warningsOn(rule: AlertRule, isConfirming: boolean): readonly string[] {
  const alone =
    'a rule with "minSources" never fires in this stack, which has only one source of floors; remove "minSources"';
  return [
    ...clausesOf(rule).flatMap((clause) => signWarning(clause) ?? []),
    ...contradictionWarnings(clausesOf(rule)),
    ...(rule.minSources === undefined || isConfirming ? [] : [alone]),
  ];
}

/** Warns about conditions on one metric that cannot hold together. */
function contradictionWarnings(clauses: readonly Clause[]): readonly string[] {
  const byMetric = Map.groupBy(clauses, ({ metric, unit }) => `${metric} ${unit}`);
  return [...byMetric.values()].flatMap((joint) => {
    const [first, , third] = joint;
    if (first === undefined || canHoldTogether(joint)) return [];
    const count = third === undefined ? 'both' : 'all';
    return [`no ${first.metric} meets ${count} conditions on it, so the rule never fires`];
  });
}

/** Whether a value meets all conditions on a metric. */
function canHoldTogether(clauses: readonly Clause[]): boolean {
  if (clauses.length < 2) return true;
  const conditions = clauses.map(conditionOf);
  const edges = clauses.flatMap(({ threshold, low, high }) =>
    [threshold, low, high].flatMap((text) => (text === undefined ? [] : decimal(text))),
  );
  // Conditions change only at edges, so one of these values meets them all if any value does.
  const values = edges.flatMap((edge) => [edge - 1n, edge, edge + 1n]);
  return values.some((value) => conditions.every((condition) => isBeyond(condition, value)));
}

/**
 * Warns about the sign of a threshold: a change of −10% is below 10, so a condition whose threshold
 * is on the wrong side of zero nearly always holds.
 */
function signWarning({ metric, when, threshold }: Clause): string | undefined {
  const { signWords } = familyOf(metric);
  if (signWords === undefined || threshold === undefined) return undefined;
  const line = decimal(threshold);
  const [, window] = metric.split('.');
  const written = formatDecimal(line < 0n ? -line : line);
  const percent = `${written}%`;
  if (when === 'below' && line > 0n) {
    const { falls } = signWords;
    const drop = falls === undefined ? '' : `, or ${falls}.${window} above "${written}"`;
    return `${metric} below "${written}" holds unless ${signWords.above(percent)}; for ${signWords.negative(percent)}, use below "-${written}"${drop}`;
  }
  if (when === 'above' && line < 0n) {
    return `${metric} above "-${written}" holds unless ${signWords.below(percent)}; for ${signWords.positive(percent)}, use above "${written}"`;
  }
  return undefined;
}
