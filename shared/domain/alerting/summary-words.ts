import type { Instant } from '#shared/domain/market/instant.ts';
import { amountInWords, metricName, thresholdInWords } from '#shared/domain/metrics/value-text.ts';
import type { AlertKind, Fact, RuleAlert } from './alert.ts';
import {
  aboutOf,
  conditionFacts,
  dataAgain,
  fact,
  isPriced,
  marked,
  momentFact,
  noData,
  noValueYet,
  type RuleWords,
  sourceFacts,
  subjectOf,
  type WordlessAlert,
} from './alert-words.ts';
import { type Newest, nameInFacts, newestFacts, valueText } from './newest.ts';

/** The alerts that a mute held: their counts, their start and the present state. */
export type Story = {
  /** The data time of the first alert. */
  readonly since: string;
  readonly counts: Readonly<Partial<Record<AlertKind, number>>>;
  /** The start of the episode that is open now. */
  readonly firingSince: Instant | undefined;
  /** The kind of the last alert. */
  readonly last: AlertKind;
  /** Undefined if the value is unknown, or the rule has ended. */
  readonly newest?: Newest | undefined;
};

/**
 * Adds the texts to a summary: the held alerts and the present state. The summary has the threshold
 * of the last alert and the newest value. If the newest value is unknown, the summary has the value
 * of the last alert.
 */
export function wordedSummary(last: WordlessAlert, rule: RuleWords, story: Story): RuleAlert {
  const alert = story.newest === undefined ? last : withNewest(last, story.newest);
  const { metric, unit, usd } = alert;
  const { firingSince } = story;
  const title = `${stateInWords(alert, rule, story)}, ${heldBack(story)} held back`;
  // Omit the dollars of a floor next to a gain: people would take them for the gain in dollars.
  const isInDollars = usd !== null && unit !== 'usd' && (unit === '%' || isPriced(metric, unit));
  const facts = [
    ...heldBackFacts(story),
    ...conditionFacts(rule),
    ...momentFact('Since', firingSince),
    ...valueFacts(alert, rule, story),
    ...fact('In dollars', isInDollars ? amountInWords(usd, 'usd') : undefined),
    ...sourceFacts(alert),
  ];
  return { ...alert, label: rule.label ?? null, title, facts };
}

/** The summary for a removed rule: its last alert, and the counts of the others. */
export function summarized(alert: RuleAlert, story: Pick<Story, 'since' | 'counts'>): RuleAlert {
  const { title, facts } = alert;
  return {
    ...alert,
    ...{ kind: 'summary', title: `${title}, ${heldBack(story)} held back` },
    facts: [...heldBackFacts(story), ...facts],
  };
}

function heldBackFacts({ counts, since }: Pick<Story, 'since' | 'counts'>): readonly Fact[] {
  return [
    ...fact('Held back by a mute', Object.entries(counts).map(timesOf).join(', ')),
    ...momentFact('Held back since', Date.parse(since)),
  ];
}

/**
 * The present state: `Apes below 12 ETH: still firing`, `Resolved: Apes: floor prices are back`.
 */
function stateInWords(alert: WordlessAlert, rule: RuleWords, { firingSince, last }: Story): string {
  const { metric, when, threshold, unit } = alert;
  const { missing } = rule;
  const isOpen = firingSince !== undefined;
  const about = aboutOf(alert, rule);
  if (last === 'closed')
    return `Closed: ${missing === undefined ? subjectOf(alert, rule) : `${about}: ${missing}`}`;
  if (missing !== undefined)
    return marked(alert, `${about}: ${isOpen ? `still ${noData(metric)}` : dataAgain(metric)}`);
  if (last === 'stale') return `${about}: ${noValueYet(metric)}`;
  if (last === 'fresh') return marked(alert, `${about}: ${metricName(metric)} has its first value`);
  if (when === 'crosses' && !isOpen)
    return `${about}: ${metricName(metric)} has crossed ${thresholdInWords(metric, threshold, unit)}`;
  const subject = subjectOf(alert, rule);
  return isOpen ? `${subject}: still firing` : marked(alert, `${subject}: recovered`);
}

function withNewest(last: WordlessAlert, { alert }: Newest): WordlessAlert {
  const { value, usd, source, dataTime } = alert;
  return { ...last, value, usd, source, dataTime, previous: null };
}

function valueFacts(
  last: WordlessAlert,
  { missing, recoverAt }: RuleWords,
  { last: kind, newest }: Story,
): readonly Fact[] {
  if (kind === 'closed') return [];
  if (newest !== undefined) return newestFacts(newest, recoverAt);
  const name = missing === undefined ? 'Value of the last alert' : nameInFacts(last.metric);
  return fact(name, valueText(last, recoverAt));
}

function heldBack({ counts }: Pick<Story, 'counts'>): string {
  const total = Object.values(counts).reduce((sum, times) => sum + times, 0);
  return total === 1 ? '1 alert' : `${total} alerts`;
}

function timesOf([kind, times]: readonly [kind: string, times: number]): string {
  return `${kind === 'reminder' ? 'reminded' : kind} ${times === 1 ? 'once' : `${times} times`}`;
}
