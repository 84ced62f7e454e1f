import { collectionLinks } from '#shared/domain/market/collection-links.ts';
import { ContractKey, nameWithTraits } from '#shared/domain/market/contract.ts';
import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { comparedIn, ratioName } from '#shared/domain/market/derived-key.ts';
import { durationInWords } from '#shared/domain/market/duration.ts';
import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import { momentInWords } from '#shared/domain/market/local-time.ts';
import { priceSeries } from '#shared/domain/market/price-series.ts';
import { withProviderNames } from '#shared/domain/market/provider.ts';
import { clockOf, isSigned, StoredMetric, shownSeries } from '#shared/domain/metrics/metric.ts';
import {
  decimalOf,
  dollarsInShort,
  levelInWords,
  metricName,
  noValue,
  percentMoved,
  spoken,
  thresholdInWords,
  valueInWords,
} from '#shared/domain/metrics/value-text.ts';
import type { Alert, Fact, RuleAlert } from './alert.ts';
import { defang } from './defang.ts';
import type { Name } from './title-parts.ts';

/** An alert without its texts. */
export type WordlessAlert = Omit<RuleAlert, 'label' | 'title' | 'facts'>;

/**
 * A rule in words: its label, its condition, such as `at or below 60 ETH`, and its recovery, such
 * as `above 60 ETH`.
 */
export type RuleWords = {
  readonly label?: string | undefined;
  /** The condition on the main metric. */
  readonly condition: string;
  /** The conditions as sentences, the main one first, with their values if known. */
  readonly conditions: readonly string[];
  readonly recover?: string | undefined;
  /** The recovery threshold, if the rule has one. */
  readonly recoverAt?: string | undefined;
  /** Whether the value is between the threshold and the recovery threshold. */
  readonly isBetween?: boolean;
  /**
   * For a no-data watch: the missing data in words, shown in place of the rule's condition, such as
   * `no new floor price for 6 h`.
   */
  readonly missing?: string | undefined;
  /** Whether the watch has an open alert about its missing first value. */
  readonly hasNoValue?: boolean;
  /** The reason why the metric has never had a value. */
  readonly why?: string;
  /** The start of the episode. */
  readonly since?: Instant | undefined;
  /** The reason why the episode is closed. */
  readonly closing?: keyof typeof CLOSING;
  /** Facts that explain the value. */
  readonly details?: readonly Fact[];
};

/** The reason why an open episode is closed, and the next step. */
const CLOSING = {
  changed: [
    'its rule was changed',
    'The changed rule starts over, and fires if its condition holds.',
  ],
  paused: ['its rule was paused', 'The rule starts over when it is enabled again.'],
  removed: ['its rule no longer applies', 'No more alerts are sent for this condition.'],
  expired: ['its rule has expired', 'Set a later "expiresAt" to resume the rule.'],
} as const;

/** Adds the texts to an alert: the title says what happened, the facts explain it. */
export function worded(alert: WordlessAlert, rule: RuleWords): RuleAlert {
  const { label = null } = rule;
  const facts = alert.kind === 'expired' ? expiredFacts(rule) : priceFacts(alert, rule);
  return { ...alert, label, title: titleOf(alert, rule), facts: [...facts] };
}

function titleOf(alert: WordlessAlert, rule: RuleWords): string {
  const { kind } = alert;
  switch (kind) {
    case 'expired':
      return `Expired: ${rule.label === undefined ? `rule "${alert.rule}" of watchlist "${alert.watchlist}"` : defang(rule.label)}`;
    case 'stale':
    case 'fresh':
      return marked(alert, `${aboutOf(alert, rule)}: ${dataNews(alert, rule)}`);
    case 'closed': {
      const why = CLOSING[rule.closing ?? 'removed'][0];
      const missing =
        rule.missing ?? (rule.hasNoValue === true ? noValueYet(alert.metric) : undefined);
      return missing === undefined
        ? `Closed: ${subjectOf(alert, rule)} (${why})`
        : `Closed: ${aboutOf(alert, rule)}: ${missing} (${why})`;
    }
    case 'worsened':
      return `Worsened: ${newsOf(alert, rule)}`;
    case 'reminder': {
      const stands = rule.isBetween === true ? ', not yet recovered' : '';
      return `Reminder: ${subjectOf(alert, rule)}: ${nowAt(alert, rule)}${stands}${lasted(alert, ', ', ' so far')}`;
    }
    case 'recovered':
      return marked(
        alert,
        `${subjectOf(alert, rule)}: ${nowAt(alert, rule)}${lasted(alert, ', lasted ', '')}`,
      );
    case 'fired':
    case 'acknowledged':
    case 'escalated':
    case 'summary':
    case 'channel_off':
    case 'members':
    case 'report':
    case 'test':
      return newsOf(alert, rule);
  }
}

/** Marks a text as resolved if the alert ends an episode. */
export function marked(alert: Pick<Alert, 'kind' | 'open'>, news: string): string {
  return isGoodNews(alert) ? `${RESOLVED}${news}` : news;
}

/** Prefix of the titles of alerts for which `isGoodNews` is true. */
export const RESOLVED = 'Resolved: ';

/**
 * Whether an alert ends its episode because the condition no longer holds. A `closed` alert ends it
 * for another reason.
 */
export function isGoodNews({ kind, open }: Pick<Alert, 'kind' | 'open'>): boolean {
  return open === false && kind !== 'closed';
}

/** The text of an alert about missing or returned data. */
function dataNews(alert: WordlessAlert, rule: RuleWords): string {
  const { missing, why } = rule;
  const { kind, metric, value, threshold } = alert;
  if (missing === undefined) {
    if (kind === 'stale') return `${noValueYet(metric)}${why === undefined ? '' : ` (${why})`}`;
    if (value === null) return `received the first data for ${metricName(metric)}`;
    return `${metricName(metric)} ${valueNow(alert, rule)} (first value)`;
  }
  if (kind === 'stale') return missingFor(metric, value, threshold);
  const isOfNewest = clockOf(metric)?.since === 'newest' && decimalOf(value ?? '0') > 0n;
  const age = isOfNewest ? ` (newest: ${spoken(value)} old)` : '';
  return `${dataAgain(metric)}${age}`;
}

/** The text for a metric that has never had a value: `no floor price yet`. */
export function noValueYet(metric: string): string {
  return `no ${metricName(metric)} yet`;
}

/** The text for the duration of missing data: `no new floor price for 6 h`. */
export function missingFor(
  metric: string,
  minutes: string | null,
  threshold: string | null = minutes,
): string {
  return `${noData(metric)} for ${levelInWords(metric, minutes ?? '0', 'minutes', [threshold])}`;
}

/** The text for missing data of a clock metric. */
export function noData(metric: string): string {
  return clockOf(metric)?.missing ?? 'no new data';
}

/** The text for returned data of a clock metric. */
export function dataAgain(metric: string): string {
  return clockOf(metric)?.again ?? 'data are back';
}

/**
 * The subject of an alert: the rule's label, and the collection's name unless the label contains
 * it.
 */
export function aboutOf(alert: WordlessAlert, { label }: RuleWords): string {
  return namesAbout({ ...alert, label: label ?? null })
    .map(({ name }) => defang(name))
    .join(BETWEEN_NAMES);
}

/** The separator of names in a title. */
export const BETWEEN_NAMES = ', ';

/** The names in the title of an alert about a rule on a contract, in order. */
export function namesAbout({ label, ...alert }: Named & Pick<Alert, 'label'>): readonly Name[] {
  const collection = collectionName(alert);
  if (label === null) return [collection];
  const labelled = { name: label, otherwise: alert.rule ?? alert.watchlist };
  return isNamedIn(label, collection.name) ? [labelled] : [labelled, collection];
}

/** The name of an alert's collection, or the contract if the name is unknown. */
export function collectionName({ name, contract, rule, watchlist }: Named): Name {
  const address = shortContract(contract) ?? rule ?? watchlist;
  return { name: name ?? address, otherwise: address };
}

type Named = Pick<Alert, 'name' | 'contract' | 'rule' | 'watchlist'>;

/** Whether a label contains a name as whole words. */
function isNamedIn(label: string, name: string): boolean {
  const [said, called] = [label, name].map((text) =>
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== '')
      .join(' '),
  );
  return called !== '' && ` ${said} `.includes(` ${called} `);
}

/** The subject of an alert, with the condition unless the rule has a label: `Apes below 12 ETH`. */
export function subjectOf(alert: WordlessAlert, rule: RuleWords): string {
  const about = aboutOf(alert, rule);
  if (rule.label !== undefined) return about;
  const condition = rule.condition.replace(/^at or /, '');
  return `${about}${metricShown(alert.metric)} ${condition}${othersOf(rule)}`;
}

/** Omits the name of the floor price, the metric of most rules. */
function metricShown(metric: string): string {
  const name = metricName(metric);
  return name === metricName('floor_price') ? '' : ` ${name}`;
}

function othersOf({ conditions: [, ...others] }: RuleWords): string {
  if (others.length === 0) return '';
  return ` and ${others.length} more ${others.length === 1 ? 'condition' : 'conditions'}`;
}

/** The subject and the value: `Apes below 12 ETH: 11.94 ETH ($36.1k, −6.2%)`. */
function newsOf(alert: WordlessAlert, rule: RuleWords): string {
  const value = `${valueNow(alert, rule)}${inBrackets(alert)}`;
  if (alert.when !== 'crosses') return `${subjectOf(alert, rule)}: ${value}`;
  const about = aboutOf(alert, rule);
  const crossed = `${crossing(alert)}${othersOf(rule)}`;
  if (rule.label !== undefined) return `${about}: ${crossed}, at ${value}`;
  return `${about}${metricShown(alert.metric)} ${crossed}: ${value}`;
}

/** A crossing in words: `rose above 12 ETH`. */
function crossing({ metric, value, threshold, unit }: WordlessAlert): string {
  const rose = value !== null && decimalOf(value) > decimalOf(threshold);
  return `${rose ? 'rose above' : 'fell below'} ${thresholdInWords(metric, threshold, unit)}`;
}

function valueNow(alert: WordlessAlert, rule: RuleWords): string {
  const { metric, value } = alert;
  return value === null ? noValue(metric) : comparedValue(value, alert, rule);
}

/**
 * The value with the prefix `now`, so that readers do not mistake it for a value that meets the
 * condition: `now 12.4 ETH`.
 */
function nowAt(alert: WordlessAlert, rule: RuleWords): string {
  return alert.value === null ? valueNow(alert, rule) : `now ${valueNow(alert, rule)}`;
}

/** A value in words, precise enough to differ from the thresholds of its rule. */
function comparedValue(
  value: string,
  { metric, unit, threshold }: WordlessAlert,
  { recoverAt }: RuleWords,
): string {
  return valueInWords(metric, value, unit, [threshold, recoverAt]);
}

/** The price in dollars and its change. Each is omitted if it is unknown. */
function inBrackets(alert: WordlessAlert): string {
  const { metric, unit, usd } = alert;
  const isPrice = isPriced(metric, unit) && alert.value !== null;
  const dollars = isPrice && unit !== 'usd' && usd !== null ? [dollarsInShort(usd)] : [];
  const said = [...dollars, ...changeOf(alert)];
  return said.length === 0 ? '' : ` (${said.join(', ')})`;
}

/** The change of a price since the previous value. */
function changeOf({ metric, value, previous, unit }: WordlessAlert): readonly string[] {
  if (value === null || previous === null || !isPriced(metric, unit)) return [];
  const before = decimalOf(previous);
  return before > 0n ? [percentMoved(decimalOf(value), before)] : [];
}

/**
 * Whether a value is an amount, whose change can be given in percent. A gain is a difference, not
 * an amount.
 */
export function isPriced(metric: string, unit: string): boolean {
  return unit !== '%' && unit !== 'minutes' && !isSigned(metric);
}

function lasted({ duration }: WordlessAlert, before: string, after: string): string {
  return duration === null ? '' : `${before}${durationInWords(duration)}${after}`;
}

/** The facts that are not in the title. */
function priceFacts(alert: WordlessAlert, rule: RuleWords): readonly Fact[] {
  const { kind, previous, duration, extreme, late } = alert;
  const { details = [], since, recover } = rule;
  const isBack = kind === 'recovered' && alert.value !== null;
  // Titles of these two kinds have the duration; all other titles with a value have the change of
  // the value.
  const isDurationInTitle = kind === 'recovered' || kind === 'reminder';
  return [
    ...conditionFacts(rule),
    ...fact('Recovered', isBack ? recover : undefined),
    ...fact('Was', previous === null ? undefined : comparedValue(previous, alert, rule)),
    ...(isDurationInTitle ? changeOf(alert) : []).map((value) => ({ name: 'Change', value })),
    ...details,
    ...momentFact('Since', since),
    ...fact('Distance', isOfData(alert, rule) ? undefined : distance(alert)),
    ...fact(
      lasting(alert),
      duration === null || isDurationInTitle ? undefined : durationInWords(duration),
    ),
    ...fact(
      alert.when === 'below' ? 'Lowest' : 'Highest',
      extreme === null ? undefined : comparedValue(extreme, alert, rule),
    ),
    ...fact('Next', rule.closing === undefined ? undefined : CLOSING[rule.closing][1]),
    ...sourceFacts(alert),
    ...fact('Late', late ? 'evaluated only after an outage' : undefined),
  ];
}

/** A fact, if it has a value. */
export function fact(name: string, value: string | undefined): readonly Fact[] {
  return value === undefined ? [] : [{ name, value }];
}

/** The fact that names a time; no fact if there is no time. `say` writes the text around it. */
export function momentFact(
  name: string,
  instant: Instant | undefined,
  say = (moment: string) => moment,
): readonly Fact[] {
  if (instant === undefined) return [];
  return [{ name, value: say(momentInWords(instant)), time: formatInstant(instant) }];
}

/** A fact with its time converted to a time zone. */
export function factIn(timeZone: string | undefined, { name, value, time }: Fact): Fact {
  if (time === undefined || timeZone === undefined) return { name, value };
  const instant = Date.parse(time);
  const moment = momentInWords(instant, timeZone);
  return { name, value: value.replace(momentInWords(instant), () => moment) };
}

/** The conditions of a rule, or the missing data of a no-data watch. */
export function conditionFacts({ conditions, missing }: RuleWords): readonly Fact[] {
  if (missing !== undefined) return fact('Condition', missing);
  return conditions.map((value, index) => ({
    name: conditions.length === 1 ? 'Condition' : `Condition ${index + 1}`,
    value,
  }));
}

/** Whether an alert is about missing or returned data, not about a value. */
function isOfData({ kind }: WordlessAlert, { missing, closing }: RuleWords): boolean {
  return missing !== undefined || closing !== undefined || kind === 'stale' || kind === 'fresh';
}

/** The distance of a value from the threshold: `0.06 ETH (0.5%) below 12 ETH`. */
function distance({ metric, value, threshold, unit }: WordlessAlert): string | undefined {
  if (value === null || unit === 'minutes') return undefined;
  const [is, line] = [decimalOf(value), decimalOf(threshold)];
  const shown = thresholdInWords(metric, threshold, unit);
  if (is === line) return `at ${shown}`;
  const far = levelInWords(metric, formatDecimal(is > line ? is - line : line - is), unit, ['0']);
  const side = `${is > line ? 'above' : 'below'} ${shown}`;
  if (unit === '%') return `${far.replace(/%$/, ' percentage points')} ${side}`;
  // Omit the percentage for values of at least ten times the threshold: 40 sales would be 3,900%
  // above a threshold of 1.
  const hasShare = line > 0n && is < 10n * line && !isSigned(metric);
  const share = hasShare ? ` (${percentMoved(is, line).replace(/^[+−]/, '')})` : '';
  return `${far}${share} ${side}`;
}

/**
 * The label of an alert's duration. For `fresh` the label mentions the alert, because the data were
 * missing for longer than the alert was open.
 */
function lasting({ kind }: WordlessAlert): string {
  if (kind === 'fresh') return 'Alert was open for';
  return kind === 'recovered' || kind === 'closed' ? 'Lasted' : 'Open for';
}

/** The source of a value. */
export function sourceFacts({ metric, source }: WordlessAlert): readonly Fact[] {
  if (source === null) return [];
  const known = StoredMetric.safeParse(metric).data;
  const isPaid = known !== undefined && priceSeries(shownSeries(known)).source === 'transaction';
  return fact(
    'Source',
    isPaid ? `transaction ${defang(source)}` : defang(withProviderNames(source)),
  );
}

function expiredFacts(rule: RuleWords): readonly Fact[] {
  return [
    ...conditionFacts(rule),
    ...(rule.details ?? []),
    ...fact('Next', 'The rule has expired. Set a later "expiresAt" to resume it.'),
  ];
}

/** Pages about the contract of an alert. */
export function linksTo(contract: string | null): readonly string[] {
  const key = ContractKey.safeParse(contract);
  return key.success ? collectionLinks(key.data) : [];
}

/** A contract in a title: `eth:0xb47e3c…3bbb`, `eth:0xb47e3c…3bbb (Fur: Solid Gold)`. */
export function shortContract(contract: string | null): string | undefined {
  if (contract === null) return undefined;
  const key = ContractKey.safeParse(contract);
  const compared = key.success ? comparedIn(key.data) : [];
  if (compared.length > 0) return ratioName(compared.flatMap((one) => shortContract(one) ?? []));
  const short = contract.replace(/(0x.{6})[^?]*([^?]{4})(\?.*)?$/, '$1…$2');
  return key.success ? defang(nameWithTraits(short, key.data)) : short;
}
