import { thresholdInWords } from '#shared/domain/metrics/value-text.ts';
import type { Alert, Fact } from './alert.ts';

/** The facts of an alert, sorted by a reader's interest. */
export type SortedFacts = {
  /** The rule in words, and the distance of the value from its threshold. */
  readonly why: string | undefined;
  /** Facts that are news, and the next step. */
  readonly facts: readonly Fact[];
  /** Facts that explain the value. */
  readonly details: readonly Fact[];
};

type Sorted = Pick<Alert, 'metric' | 'threshold' | 'unit' | 'facts'>;

/**
 * The names of the facts that are news in an alert about a value. All other facts explain the
 * value.
 */
const NEWS: ReadonlySet<string> = new Set([
  ...[
    'Test',
    'Acknowledged',
    'Snoozed',
    'Note',
    'Reported',
    'Next',
    'Late',
    'Confirmed',
    'Ignored',
  ],
  ...['Held back by a mute', 'Newest value', 'Value of the last alert'],
]);

/** Sorts the facts of an alert. Without a metric all facts are news. */
export function sortedFacts(alert: Sorted): SortedFacts {
  const { metric, facts } = alert;
  if (metric === null) return { why: undefined, facts, details: [] };
  const conditions = facts.filter(isCondition);
  const distance = facts.find(({ name }) => name === 'Distance');
  const hasDistance = conditions.length === 1 && distance !== undefined;
  const inWhy = new Set(hasDistance ? [...conditions, distance] : conditions);
  const others = facts.filter((fact) => !inWhy.has(fact));
  const words = conditions.map(({ value }) => value).join(' and ');
  const why = hasDistance ? `${words}, now ${shortDistance(alert, words, distance)}` : words;
  return {
    why: why === '' ? undefined : `${why.charAt(0).toUpperCase()}${why.slice(1)}`,
    facts: others.filter(({ name }) => NEWS.has(name)),
    details: others.filter(({ name }) => !NEWS.has(name)),
  };
}

function isCondition({ name }: Fact): boolean {
  return /^Condition( \d+)?$/.test(name);
}

/**
 * Omits the threshold from the distance if the condition ends with it: `0.06 ETH (0.5%) below`
 * after `at or below 12 ETH`.
 */
function shortDistance(
  { metric, threshold, unit }: Sorted,
  condition: string,
  { value }: Fact,
): string {
  if (metric === null || threshold === null || unit === null || value.startsWith('at ')) {
    return value;
  }
  const line = ` ${thresholdInWords(metric, threshold, unit)}`;
  const isRepeated = condition.endsWith(line) && value.endsWith(line);
  return isRepeated ? value.slice(0, -line.length) : value;
}
