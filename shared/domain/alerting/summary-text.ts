import { type Instant, momentInWords } from '#shared/domain/market/instant.ts';
import {
  amountInWords,
  metricName,
  noValue,
  valueInWords,
} from '#shared/domain/metrics/value-text.ts';
import type { AlertKind } from './alert.ts';
import {
  dataAgain,
  footer,
  headline,
  noData,
  noValueYet,
  ownWords,
  type RuleWords,
  ruleLines,
  sourceName,
  type WordlessAlert,
} from './alert-text.ts';

/** What was held back: how often each kind, since when, and what has become of it. */
export type Story = {
  /** The data time of the first alert. */
  readonly since: string;
  readonly counts: Readonly<Partial<Record<AlertKind, number>>>;
  /** Whether it was a mute that held them. */
  readonly muted: boolean;
  /** The beginning of the episode that is open now. */
  readonly firingSince: Instant | undefined;
  /** The last alert of all. */
  readonly last: AlertKind;
};

/** A summary as a person reads it: what was held back, and how it stands now. */
export function summaryText(alert: WordlessAlert, rule: RuleWords, story: Story): string {
  const { unit, usd, source, dataTime } = alert;
  const { firingSince, counts, since, muted } = story;
  return [
    headline(alert, `${standing(alert, rule, story)}, ${heldBack(story)} held back`),
    '',
    `Held back${muted ? ' by a mute' : ''}: ${Object.entries(counts).map(timesOf).join(', ')}`,
    `Since: ${momentInWords(Date.parse(since))}`,
    ...(firingSince === undefined ? [] : [`Firing since: ${momentInWords(firingSince)}`]),
    ...(story.last === 'closed' ? [] : [newest(alert, rule)]),
    ...(usd === null || unit === 'usd' ? [] : [`In dollars: ${amountInWords(usd, 'usd')}`]),
    ...ruleLines(alert, rule),
    `As of: ${momentInWords(Date.parse(dataTime))}`,
    ...(source === null ? [] : [`Source: ${sourceName(alert.metric, source)}`]),
    '',
    ...footer(alert),
  ].join('\n');
}

/** How it stands now: `floor price is still at or below 60 ETH`, `floor prices again`. */
function standing(
  { metric, when, threshold, unit }: WordlessAlert,
  words: RuleWords,
  { firingSince, last }: Story,
): string {
  const { condition, recover, missing } = words;
  const isOpen = firingSince !== undefined;
  if (last === 'closed') return `${missing ?? ownWords(metric, words)}: closed`;
  if (missing !== undefined) return isOpen ? `still ${noData(metric)}` : dataAgain(metric);
  const name = metricName(metric);
  if (last === 'stale') return noValueYet(metric);
  if (last === 'fresh') return `${name} has its first value`;
  if (isOpen) return `${name} is still ${condition}`;
  if (when === 'crosses') return `${name} has crossed ${valueInWords(metric, threshold, unit)}`;
  return `${name} has recovered${recover === undefined ? '' : ` ${recover}`}`;
}

/** The value of the last alert that was held back; of missing data, how old they were then. */
function newest({ metric, value, unit }: WordlessAlert, { missing }: RuleWords): string {
  if (value === null) return `Newest value: ${noValue(metric)}`;
  const name = missing === undefined ? 'newest value' : metricName(metric);
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${valueInWords(metric, value, unit)}`;
}

function heldBack({ counts }: Story): string {
  const total = Object.values(counts).reduce((sum, times) => sum + times, 0);
  return total === 1 ? '1 alert' : `${total} alerts`;
}

function timesOf([kind, times]: readonly [kind: string, times: number]): string {
  return `${kind === 'reminder' ? 'reminded' : kind} ${times === 1 ? 'once' : `${times} times`}`;
}
