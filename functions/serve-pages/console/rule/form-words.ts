import { metricInWords } from '#console/words/amounts.ts';
import type { Problem } from '#shared/http/answer-shapes.ts';

/** What the interface says of a member of a rule, as a pattern, and what the form says. */
const WORDS: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/^expected a decimal number.*below 10\^/, 'Write a number, such as 9.5.'],
  [/^expected a percentage above 0/, 'Write a percentage above 0 and below 100, such as 10.'],
  [/^expected a price, or/, 'Write a price, or 0 for none.'],
  [/^expected a price under the line of (.*)$/, 'Write a price below the line of $1.'],
  [
    /^expected a span of time from (\w+) to (\w+).*$/,
    'Write a time from $1 to $2, such as 30m, 6h or 2d.',
  ],
  [/^expected an upper edge above/, 'It must be above “From”.'],
  [
    /^expected a recovery threshold/,
    'It must be on the good side of the threshold: above it if the rule fires at lower values, below it if it fires at higher ones.',
  ],
  [/^expected at most as many times/, 'It must be at most “of the last”.'],
  [/^expected a number (.*) for \S+$/, 'Write a number $1.'],
  [/^expected a threshold for/, 'Write a number.'],
  [/^expected the (lower|upper) edge of the band/, 'Write a number.'],
  [/^expected each condition once/, 'This condition is there already: change it or take it off.'],
  [
    /^expected a channel at least/,
    'Choose at least one channel. To get no alerts, switch the rule off.',
  ],
  [/^expected a moment/, 'Choose a date and a time.'],
  [/^expected at most (\d+) characters/, 'Write at most $1 characters.'],
  [/^expected some text/, 'Write something.'],
  [/^expected one line/, 'Write one line of text.'],
  [/^expected a currency/, 'Choose another currency.'],
  [/^expected a metric that the data provider reports; (.*)$/, 'Choose another measure: $1.'],
  [/^expected no unit/, 'This measure has one currency only.'],
  [/^expected (only|not) /, 'This does not go with the measure and the condition: leave it empty.'],
];

/** The names of members as the form has them. */
const LABELS: Readonly<Record<string, string>> = {
  ...{ metric: 'Measure', when: 'Condition', threshold: 'Threshold', low: 'From', high: 'To' },
  ...{ unit: 'Currency', ignoreBelow: 'No sale below', recover: 'Over again past' },
  ...{ steps: 'Again at each further', for: 'For at least', keepFor: 'Over after' },
  ...{ times: 'So many times', of: 'of the last', confirm: 'It must hold', repeat: 'How often' },
  ...{
    reminder: 'A reminder each',
    arm: 'If it is so already',
    notify: 'Tell',
    on: 'Tell us when',
  },
  ...{ noData: 'Tell when none has come for', alert: 'Tell when none has come for' },
  ...{ label: 'Name in messages', expiresAt: 'Ends', severity: 'Severity' },
  ...{ outliers: 'Take outliers at once', minSources: 'Only what two sources report' },
};

/**
 * A problem in the words of the form, which has labels and no members. A preview has its rule in
 * `/rule`; the pointers here are those within a rule.
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

/** `/all/1/threshold` → `Threshold`. */
function labelOf(pointer: string): string {
  const member = pointer.split('/').findLast((part) => LABELS[part] !== undefined);
  return LABELS[member ?? ''] ?? 'The rule';
}
