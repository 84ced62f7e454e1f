import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import type { AlertKind } from './alert.ts';
import {
  amountInWords,
  footer,
  headline,
  metricName,
  type RuleWords,
  sourceName,
  type WordlessAlert,
} from './alert-text.ts';
import { inert } from './inert-text.ts';

/** What was held back: how often each kind, since when, and what has become of it. */
export type Story = {
  /** The data time of the first alert. */
  readonly since: string;
  readonly counts: Readonly<Partial<Record<AlertKind, number>>>;
  /** The beginning of the episode that is open now. */
  readonly firingSince: Instant | undefined;
};

/** A summary as a person reads it: what was held back, and how it stands now. */
export function summaryText(alert: WordlessAlert, rule: RuleWords, story: Story): string {
  const { value, unit, usd, source, dataTime } = alert;
  const { firingSince } = story;
  return [
    headline(
      alert,
      `${metricName(alert.metric)}${standing(alert, rule, story)}${heldBack(story)} held back`,
    ),
    '',
    `Held back: ${Object.entries(story.counts).map(timesOf).join(', ')}`,
    `Since: ${story.since}`,
    ...(firingSince === undefined ? [] : [`Firing since: ${formatInstant(firingSince)}`]),
    `Last told: ${value === null ? 'no trade left' : amountInWords(value, unit)}`,
    ...(usd === null || unit === 'usd' ? [] : [`In dollars: ${amountInWords(usd, 'usd')}`]),
    `Rule: ${rule.label === undefined ? rule.condition : inert(rule.label)}`,
    `As of: ${dataTime}`,
    ...(source === null ? [] : [`Source: ${sourceName(alert.metric, source)}`]),
    '',
    ...footer(alert),
  ].join('\n');
}

/** How it stands now: `still at or below 60 ETH`, `recovered above 60 ETH`, `crossed 60 ETH`. */
function standing(
  { when, threshold, unit }: WordlessAlert,
  { condition, recover }: RuleWords,
  { counts, firingSince }: Story,
): string {
  if (firingSince !== undefined) return ` still ${condition}, `;
  if (when === 'crosses') return ` crossed ${amountInWords(threshold, unit)}, `;
  const { fired, worsened, reminder, recovered } = counts;
  const wasOpen = [fired, worsened, reminder, recovered].some((times) => times !== undefined);
  if (!wasOpen) return ', ';
  return recover === undefined ? ' recovered, ' : ` recovered ${recover}, `;
}

function heldBack({ counts }: Story): string {
  const total = Object.values(counts).reduce((sum, times) => sum + times, 0);
  return total === 1 ? '1 alert' : `${total} alerts`;
}

function timesOf([kind, times]: readonly [kind: string, times: number]): string {
  return `${kind === 'reminder' ? 'reminded' : kind} ${times === 1 ? 'once' : `${times} times`}`;
}
