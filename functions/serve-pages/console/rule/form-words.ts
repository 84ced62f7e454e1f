import { metricInWords } from '#console/words/amounts.ts';
import type { Problem } from '#shared/http/answer-shapes.ts';

/** Patterns of API errors about members of a rule, and the texts that the form shows instead. */
const WORDS: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/^expected a decimal number.*below 10\^/, 'Enter a number, such as 9.5.'],
  [/^expected a percentage above 0/, 'Enter a percentage above 0 and below 100, such as 10.'],
  [/^expected a price, or/, 'Enter a price, or 0 for none.'],
  [/^expected a price below the threshold, (.*)$/, 'Enter a price below the threshold ($1).'],
  [
    /^expected a duration from (\w+) to (\w+).*$/,
    'Enter a duration from $1 to $2, such as 30m, 6h or 2d.',
  ],
  [/^expected an upper edge above/, 'Enter a number above “From”.'],
  [
    /^expected a recovery threshold/,
    'Enter a number above the threshold if the rule fires at lower values, or below it if the rule fires at higher values.',
  ],
  [
    /^expected "times" to be at most/,
    'Enter a number that is not larger than “Values considered”.',
  ],
  [/^expected a number (.*) for \S+$/, 'Enter a number $1.'],
  [/^expected a threshold for/, 'Enter a number.'],
  [/^expected the (lower|upper) edge of the band/, 'Enter a number.'],
  [
    /^expected each condition at most once/,
    'The rule already has this condition. Change it or remove it.',
  ],
  [
    /^expected at least one channel/,
    'Choose at least one channel. To stop all alerts, turn the rule off.',
  ],
  [/^expected a (valid )?time/, 'Choose a date and a time.'],
  [/^expected at most (\d+) characters/, 'Enter at most $1 characters.'],
  [/^expected at least one character/, 'Enter at least one character.'],
  [/^expected one line/, 'Enter a single line of text.'],
  [/^expected (a|another) currency/, 'Choose another currency.'],
  [/^expected a metric that the data provider reports; (.*)$/, 'Choose another metric: $1.'],
  [/^expected no unit/, 'This metric has only one currency. Choose “Default”.'],
  [
    /^(allowed only|not allowed) /,
    'This field cannot be used with this metric and condition. Leave it empty.',
  ],
];

/** The labels of the form by member name. */
const LABELS: Readonly<Record<string, string>> = {
  ...{ metric: 'Metric', when: 'Condition', threshold: 'Threshold', low: 'From', high: 'To' },
  ...{ unit: 'Currency', ignoreBelow: 'Ignore sales below', recover: 'Recovery threshold' },
  ...{
    steps: 'Alert again after each further move',
    for: 'For at least',
    keepFor: 'Recovered for',
  },
  ...{
    times: 'Matching values',
    of: 'Values considered',
    confirm: 'When to fire',
    repeat: 'How often',
  },
  ...{
    reminder: 'Reminder every',
    arm: 'If the condition already holds',
    notify: 'Notify',
    on: 'Alert when',
  },
  ...{ noData: 'Report missing prices after', alert: 'Report missing prices after' },
  ...{ label: 'Name in messages', expiresAt: 'Expires', severity: 'Severity' },
  ...{ outliers: 'Accept outliers immediately', minSources: 'Require prices from two sources' },
};

/**
 * Translates an API error into the words of the form, with labels instead of member names. A
 * preview reports pointers that begin with `/rule`. This prefix is removed.
 */
export function inFormWords(problem: Problem): Problem;
export function inFormWords(problem: Problem | undefined): Problem | undefined;
export function inFormWords(problem: Problem | undefined): Problem | undefined {
  if (problem?.errors === undefined || problem.errors.length === 0) return problem;
  const errors = problem.errors.map(({ pointer, detail }) => ({
    pointer: pointer.replace(/^\/rule(?=\/)/, ''),
    detail: said(detail),
  }));
  const sentences = errors.map(({ pointer, detail }) => `${labelOf(pointer)}: ${detail}`);
  return { ...problem, errors, detail: sentences.join(' ') };
}

function said(detail: string): string {
  const known = WORDS.find(([pattern]) => pattern.test(detail));
  if (known !== undefined) return detail.replace(new RegExp(`${known[0].source}.*$`), known[1]);
  const words = detail
    .replace(/^expected/, 'Expected')
    .replaceAll(/"(\w+)"/g, (_, name: string) => `“${LABELS[name] ?? name}”`)
    .replaceAll(/\b[a-z]+(_[a-z]+)+(\.\w+)?\b/g, metricInWords);
  return /[.!?]$/.test(words) ? words : `${words}.`;
}

/** The label for a JSON pointer: `/all/1/threshold` → `Threshold`. */
function labelOf(pointer: string): string {
  const member = pointer.split('/').findLast((part) => LABELS[part] !== undefined);
  return LABELS[member ?? ''] ?? 'The rule';
}
