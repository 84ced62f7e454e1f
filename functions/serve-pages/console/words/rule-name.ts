import { metricInWords, unitInWords } from './amounts.ts';

/** The members of a rule or a watch that form its name. */
type Named = {
  readonly [Part in 'label' | 'metric' | 'when' | 'threshold' | 'low' | 'high' | 'unit']?:
    | string
    | null
    | undefined;
};

/** The label of a rule, or else its condition. */
export function ruleName({ label, metric, when, threshold, low, high, unit }: Named): string {
  const line = threshold ?? `${low} to ${high}`;
  const condition = [metricInWords(metric ?? ''), when, line, unit && unitInWords(unit)];
  return label ?? condition.filter(Boolean).join(' ');
}

/** Removes the name of the collection from the name of a rule: `Apes: dip` → `dip`. */
export function shortRuleName(rule: string, collection: string): string {
  const prefix = `${collection}: `;
  return rule.startsWith(prefix) ? rule.slice(prefix.length) : rule;
}
