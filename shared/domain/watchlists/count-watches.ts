import { familyOf, type Metric, seriesOfMetric } from '#shared/domain/metrics/metric.ts';
import { contractsIn, type RuleTarget } from '#shared/domain/rules/alert-rule.ts';

/** The number of watches that the given rules have in a list with the given number of contracts. */
export function countWatches(
  rules: readonly (LegibleRule | undefined)[],
  contracts: number,
): number {
  return rules.reduce((sum, rule) => sum + watchesOn(rule) * contractsOf(rule, contracts), 0);
}

/** The members of a rule that could be parsed. */
type LegibleRule = {
  readonly on?: RuleTarget | undefined;
  readonly metric?: Metric | undefined;
  readonly all?: readonly ({ readonly metric?: Metric | undefined } | undefined)[] | undefined;
  readonly noData?: unknown;
};

/**
 * The number of contracts to which a rule applies. One for a rule on the list value, and for a rule
 * whose target could not be parsed.
 */
function contractsOf(rule: LegibleRule | undefined, all: number): number {
  if (rule?.on === undefined || metricsOf(rule).some(isOfList)) return 1;
  return rule.on === '*' ? all : contractsIn(rule.on).length;
}

function isOfList({ metric }: { readonly metric: Metric }): boolean {
  return familyOf(metric).subject === 'list';
}

/** The metrics of a rule, each with its path. */
export function metricsOf({ metric, all = [] }: Pick<LegibleRule, 'metric' | 'all'>) {
  const joint = all.map((clause, index) => ({
    metric: clause?.metric,
    path: ['all', index, 'metric'],
  }));
  return [{ metric, path: ['metric'] }, ...joint].flatMap(({ metric: named, path }) =>
    named === undefined ? [] : [{ metric: named, path }],
  );
}

/** The number of watches of a rule on a contract: its own, and its no-data watches. */
function watchesOn(rule: LegibleRule | undefined): number {
  if (rule === undefined || typeof rule.noData !== 'object') return 1;
  return 1 + new Set(metricsOf(rule).flatMap(({ metric }) => seriesOfMetric(metric))).size;
}
