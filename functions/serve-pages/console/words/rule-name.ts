import { metricInWords } from './amounts.ts';

/** The parts of a rule or of a watch that name it. */
type Named = {
  readonly [Part in 'label' | 'metric' | 'when' | 'threshold' | 'low' | 'high' | 'unit']?:
    | string
    | null
    | undefined;
};

/** The label of a rule, or else its condition. */
export function ruleName({ label, metric, when, threshold, low, high, unit }: Named): string {
  const line = threshold ?? `${low} to ${high}`;
  const condition = [metricInWords(metric ?? ''), when, line, unit?.toUpperCase()];
  return label ?? condition.filter(Boolean).join(' ');
}

/** The name of a rule without that of its collection, which stands beside it. */
export function shortRuleName(rule: string, collection: string): string {
  const prefix = `${collection}: `;
  return rule.startsWith(prefix) ? rule.slice(prefix.length) : rule;
}
