import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { familiesWith, familyNamed, familyOf, type Metric } from '#shared/domain/metrics/metric.ts';
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
  if (threshold === undefined) return undefined;
  const line = decimal(threshold);
  const isBelow = when === 'below' && line > 0n;
  if (!isBelow && !(when === 'above' && line < 0n)) return undefined;
  const written = formatDecimal(line < 0n ? -line : line);
  const percent = `${written}%`;
  const words = directionsOf(metric);
  if (words === undefined) return undefined;
  const { positive, negative, falls } = words;
  if (!isBelow) {
    return `${metric} above "-${written}" holds unless ${negative.moved(percent)}; for ${positive.named(percent)}, use above "${written}"`;
  }
  const [, window] = metric.split('.');
  const drop = falls === undefined ? '' : `, or ${falls}.${window} above "${written}"`;
  return `${metric} below "${written}" holds unless ${positive.moved(percent)}; for ${negative.named(percent)}, use below "-${written}"${drop}`;
}

/** The words for positive and negative values of a metric; undefined for metrics without a sign. */
function directionsOf(metric: Metric) {
  const { signed } = familyOf(metric);
  const rising = typeof signed === 'object' ? signed : wordsOfOpposite(metric);
  if (rising === undefined) return undefined;
  const rise = { moved: rising.risen, named: rising.rise };
  const fall = { moved: rising.fallen, named: rising.fall };
  return rising === signed
    ? { positive: rise, negative: fall, falls: rising.falls }
    : { positive: fall, negative: rise, falls: undefined };
}

/** The words of the family whose falls this metric counts as positive numbers. */
function wordsOfOpposite(metric: Metric) {
  const [name] = metric.split('.');
  const [opposite = ''] = familiesWith(
    ({ signed }) => typeof signed === 'object' && signed.falls === name,
  );
  const signed = familyNamed(opposite)?.signed;
  return typeof signed === 'object' ? signed : undefined;
}
