import { type Decimal, formatDecimal } from '#shared/domain/market/decimal.ts';
import { familyOf } from '#shared/domain/metrics/metric.ts';
import { type AlertRule, clausesOf } from './alert-rule.ts';
import { type Clause, decimal } from './clause.ts';

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
  return [...byMetric.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const left = others.reduce(
      (ranges, clause) => overlaps(ranges, rangesOf(clause)),
      rangesOf(first),
    );
    const count = others.length === 1 ? 'both' : 'all';
    return left.length > 0
      ? []
      : [`no ${first.metric} meets ${count} conditions on it, so the rule never fires`];
  });
}

/** The edges of a range, which belong to it; undefined without an edge. */
type Range = { readonly low?: Decimal | undefined; readonly high?: Decimal | undefined };

/** The values that meet a condition. */
function rangesOf({ when, threshold, low, high }: Clause): readonly Range[] {
  const [line, lower, upper] = [threshold, low, high].map((text) =>
    text === undefined ? undefined : decimal(text),
  );
  if (when === 'below') return [{ high: line }];
  if (when === 'above') return [{ low: line }];
  if (when === 'inside') return [{ low: lower, high: upper }];
  return when === 'outside' ? [{ high: lower }, { low: upper }] : [{}];
}

function overlaps(some: readonly Range[], others: readonly Range[]): readonly Range[] {
  return some.flatMap((one) =>
    others.flatMap((other) => {
      const low = edge(one.low, other.low, (a, b) => a > b);
      const high = edge(one.high, other.high, (a, b) => a < b);
      return low !== undefined && high !== undefined && low > high ? [] : [{ low, high }];
    }),
  );
}

/** The narrower of two edges of ranges. */
function edge(
  one: Decimal | undefined,
  other: Decimal | undefined,
  isNarrower: (one: Decimal, other: Decimal) => boolean,
): Decimal | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return isNarrower(one, other) ? one : other;
}

/**
 * Warns about the sign of a threshold: a change of −10% is below 10, so a condition whose threshold
 * is on the wrong side of zero nearly always holds.
 */
function signWarning({ metric, when, threshold }: Clause): string | undefined {
  const { signed } = familyOf(metric);
  if (typeof signed !== 'object' || threshold === undefined) return undefined;
  const line = decimal(threshold);
  const [, window] = metric.split('.');
  const written = formatDecimal(line < 0n ? -line : line);
  const percent = `${written}%`;
  if (when === 'below' && line > 0n) {
    const { falls } = signed;
    const drop = falls === undefined ? '' : `, or ${falls}.${window} above "${written}"`;
    return `${metric} below "${written}" holds unless ${signed.risen(percent)}; for ${signed.fall(percent)}, use below "-${written}"${drop}`;
  }
  if (when === 'above' && line < 0n) {
    return `${metric} above "-${written}" holds unless ${signed.fallen(percent)}; for ${signed.rise(percent)}, use above "${written}"`;
  }
  return undefined;
}
