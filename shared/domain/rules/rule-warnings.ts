import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { familyOf } from '#shared/domain/metrics/metric.ts';
import { type AlertRule, clausesOf } from './alert-rule.ts';
import { type Clause, decimal } from './clause.ts';

/**
 * What a rule that may be written probably does not mean, in words for people; `isConfirming` says
 * whether the stack has a second source of floors.
 */
export function warningsOn(rule: AlertRule, isConfirming: boolean): readonly string[] {
  const alone = 'this stack has one source of floors: with "minSources" the rule can never fire';
  return [
    ...clausesOf(rule).flatMap((clause) => signWarning(clause) ?? []),
    ...(rule.minSources === undefined || isConfirming ? [] : [alone]),
  ];
}

/** A change of −10 % is below 10: a line on the other side of zero holds nearly always. */
function signWarning({ metric, when, threshold }: Clause): string | undefined {
  const { signed } = familyOf(metric);
  if (signed === false || threshold === undefined) return undefined;
  const line = decimal(threshold);
  const [, window] = metric.split('.');
  const written = formatDecimal(line < 0n ? -line : line);
  if (when === 'below' && line > 0n) {
    const fall = `below "-${written}", or ${signed.falls}.${window} above "${written}"`;
    return `${metric} below "${written}" holds unless the floor has risen by more than ${written} %; a fall of ${written} % is ${fall}`;
  }
  if (when === 'above' && line < 0n) {
    return `${metric} above "-${written}" holds unless the floor has fallen by more than ${written} %; a rise of ${written} % is above "${written}"`;
  }
  return undefined;
}
