import { type Decimal, formatDecimal } from '#shared/domain/market/decimal.ts';
import { familiesWith, familyNamed, familyOf, type Metric } from '#shared/domain/metrics/metric.ts';
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
