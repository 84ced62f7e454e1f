import { formatDecimal } from '#shared/domain/market/decimal.ts';
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
    ...(rule.minSources === undefined || isConfirming ? [] : [alone]),
  ];
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
