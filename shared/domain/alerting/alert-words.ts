import { collectionLinks } from '#shared/domain/market/collection-links.ts';
import { ContractKey, nameWithTraits } from '#shared/domain/market/contract.ts';
import { formatDecimal } from '#shared/domain/market/decimal.ts';
import { durationInWords } from '#shared/domain/market/duration.ts';
import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import { momentInWords } from '#shared/domain/market/local-time.ts';
import { seriesOf } from '#shared/domain/market/price-series.ts';
import { withProviderNames } from '#shared/domain/market/provider.ts';
import { clockOf, partBehind, StoredMetric } from '#shared/domain/metrics/metric.ts';
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
import { inert } from './inert-text.ts';
import type { Name } from './title-parts.ts';

/** An alert before it is put into words. */
export type WordlessAlert = Omit<RuleAlert, 'label' | 'title' | 'facts'>;

/**
 * A rule in words: what its owner calls it, its condition, `at or below 60 ETH`, and where a value
 * has recovered from it, `above 60 ETH`.
 */
export type RuleWords = {
  readonly label?: string | undefined;
  /** Of the metric that the rule is named for. */
  readonly condition: string;
  /** All conditions as sentences, that one first, with their values where they are known. */
  readonly conditions: readonly string[];
  readonly recover?: string | undefined;
  /** The recovery threshold of a rule that has one. */
  readonly recoverAt?: string | undefined;
  /** Whether the value is back from the threshold, and not as far as the recovery threshold. */
  readonly isBetween?: boolean;
  /**
   * The missing data of a no-data watch, which is no condition of the rule: `no new floor price for 6
   * h`.
   */
  readonly missing?: string | undefined;
  /** Whether the watch waits for its first value, and has reported that. */
  readonly hasNoValue?: boolean;
  /** Why there has never been a value. */
  readonly why?: string;
  /** When the episode began. */
  readonly since?: Instant | undefined;
  /** Why an episode is closed. */
  readonly closing?: keyof typeof CLOSING;
  /** Facts that explain the value. */
  readonly details?: readonly Fact[];
};

/** The reason why an open episode is closed, and the next step. */
const CLOSING = {
  changed: [
    'its rule was changed',
    'The changed rule starts again, and fires if its condition holds.',
  ],
  paused: ['its rule was paused', 'The rule starts again when it is enabled.'],
  removed: ['its rule no longer applies', 'No more alerts about it are sent.'],
  expired: ['its rule has expired', 'Set a later "expiresAt" to resume the rule.'],
} as const;

/** The alert as people read it: its title says what happened, its facts what that means. */
export function worded(alert: WordlessAlert, rule: RuleWords): RuleAlert {
  const { label = null } = rule;
  const facts = alert.kind === 'expired' ? expiredFacts(rule) : priceFacts(alert, rule);
  return { ...alert, label, title: titleOf(alert, rule), facts: [...facts] };
}

function titleOf(alert: WordlessAlert, rule: RuleWords): string {
  const { kind } = alert;
  switch (kind) {
    case 'expired':
      return `Expired: ${rule.label === undefined ? `rule "${alert.rule}" of watchlist "${alert.watchlist}"` : inert(rule.label)}`;
    case 'stale':
    case 'fresh':
      return marked(alert, `${aboutOf(alert, rule)}: ${dataNews(alert, rule)}`);
    case 'closed': {
      const why = CLOSING[rule.closing ?? 'removed'][0];
      const missing =
        rule.missing ?? (rule.hasNoValue === true ? noValueYet(alert.metric) : undefined);
      return missing === undefined
        ? `Closed: ${subjectOf(alert, rule)}: ${why}`
        : `Closed: ${aboutOf(alert, rule)}: ${missing}, ${why}`;
    }
    case 'worsened':
      return `Worsened: ${newsOf(alert, rule)}`;
    case 'reminder': {
      const stands = rule.isBetween === true ? ', not yet recovered' : '';
      return `Reminder: ${subjectOf(alert, rule)}: ${valueNow(alert, rule)}${stands}${lasted(alert, ', ', ' so far')}`;
    }
    case 'recovered':
      return marked(
        alert,
        `${subjectOf(alert, rule)}: ${valueNow(alert, rule)}${lasted(alert, ', lasted ', '')}`,
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

/** The news of an alert by which something is over. */
export function marked(alert: Pick<Alert, 'kind' | 'open'>, news: string): string {
  return isGoodNews(alert) ? `${RESOLVED}${news}` : news;
}

/** Begins the title of good news. */
export const RESOLVED = 'Resolved: ';

/**
 * Whether an alert ends its episode because the condition is over. `closed` ends it for another
 * reason.
 */
export function isGoodNews({ kind, open }: Pick<Alert, 'kind' | 'open'>): boolean {
  return open === false && kind !== 'closed';
}

/** That data have stopped coming, or come again. */
function dataNews(alert: WordlessAlert, rule: RuleWords): string {
  const { missing, why } = rule;
  const { kind, metric, value, threshold } = alert;
  if (missing === undefined) {
    if (kind === 'stale') return `${noValueYet(metric)}${why === undefined ? '' : `, ${why}`}`;
    if (value === null) return `${metricName(metric)}, the first data have arrived`;
    return `${metricName(metric)} ${valueNow(alert, rule)}, its first value`;
  }
  if (kind === 'stale') return missingFor(metric, value, threshold);
  const isOfNewest = clockOf(metric)?.since === 'newest';
  const age = isOfNewest ? `, the newest is ${spoken(value)} old` : '';
  return `${dataAgain(metric)}${age}`;
}

/** That a metric has never had a value. */
export function noValueYet(metric: string): string {
  return `no ${metricName(metric)} yet`;
}

/** For how long no data have come, of a rule that waits so long: `no new floor price for 6 h`. */
export function missingFor(
  metric: string,
  minutes: string | null,
  threshold: string | null = minutes,
): string {
  return `${noData(metric)} for ${levelInWords(metric, minutes ?? '0', 'minutes', [threshold])}`;
}

/** That data a metric of the clock waits for do not come. */
export function noData(metric: string): string {
  return clockOf(metric)?.missing ?? 'no new data';
}

/** That data a metric of the clock waits for come again. */
export function dataAgain(metric: string): string {
  return clockOf(metric)?.again ?? 'data again';
}

/** What an alert is about: the rule's label, and the collection unless the label has its name. */
export function aboutOf(alert: WordlessAlert, { label }: RuleWords): string {
  return namesAbout({ ...alert, label: label ?? null })
    .map(({ name }) => inert(name))
    .join(BETWEEN_NAMES);
}

/** Stands between the names in a title. */
export const BETWEEN_NAMES = ', ';

/** The names in the title of an alert about a rule on a contract, in order. */
export function namesAbout({ label, ...alert }: Named & Pick<Alert, 'label'>): readonly Name[] {
  const collection = collectionName(alert);
  if (label === null) return [collection];
  const labelled = { name: label, otherwise: alert.rule ?? alert.watchlist };
  return isNamedIn(label, collection.name) ? [labelled] : [labelled, collection];
}

/** The name of the collection of an alert, or else its contract. */
export function collectionName({ name, contract, rule, watchlist }: Named): Name {
  const address = shortContract(contract) ?? rule ?? watchlist;
  return { name: name ?? address, otherwise: address };
}

type Named = Pick<Alert, 'name' | 'contract' | 'rule' | 'watchlist'>;

/** Whether a label has a name in it, as whole words. */
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

/** What it is about, with the condition where no label stands for it: `Apes below 12 ETH`. */
export function subjectOf(alert: WordlessAlert, rule: RuleWords): string {
  const about = aboutOf(alert, rule);
  if (rule.label !== undefined) return about;
  const condition = rule.condition.replace(/^at or /, '');
  return `${about}${metricShown(alert.metric)} ${condition}${othersOf(rule)}`;
}

/** A condition without a metric is about the floor price, which most rules are about. */
function metricShown(metric: string): string {
  const name = metricName(metric);
  return name === metricName('floor_price') ? '' : ` ${name}`;
}

function othersOf({ conditions: [, ...others] }: RuleWords): string {
  if (others.length === 0) return '';
  return ` and ${others.length} more ${others.length === 1 ? 'condition' : 'conditions'}`;
}

/** What it is about and the value: `Apes below 12 ETH: 11.94 ETH ($36.1k, −6.2 %)`. */
function newsOf(alert: WordlessAlert, rule: RuleWords): string {
  const value = `${valueNow(alert, rule)}${inBrackets(alert)}`;
  if (alert.when !== 'crosses') return `${subjectOf(alert, rule)}: ${value}`;
  const about = aboutOf(alert, rule);
  const crossed = `${crossing(alert)}${othersOf(rule)}`;
  if (rule.label !== undefined) return `${about}: ${crossed}, at ${value}`;
  return `${about}${metricShown(alert.metric)} ${crossed}: ${value}`;
}

/** `rose above 12 ETH` */
function crossing({ metric, value, threshold, unit }: WordlessAlert): string {
  const rose = value !== null && decimalOf(value) > decimalOf(threshold);
  return `${rose ? 'rose above' : 'fell below'} ${thresholdInWords(metric, threshold, unit)}`;
}

function valueNow(alert: WordlessAlert, rule: RuleWords): string {
  const { metric, value } = alert;
  return value === null ? noValue(metric) : comparedValue(value, alert, rule);
}

/** A value in words beside the thresholds of its rule. */
function comparedValue(
  value: string,
  { metric, unit, threshold }: WordlessAlert,
  { recoverAt }: RuleWords,
): string {
  return valueInWords(metric, value, unit, [threshold, recoverAt]);
}

/** The dollars of a price and its change, as far as they are known. */
function inBrackets(alert: WordlessAlert): string {
  const { unit, usd } = alert;
  const isPrice = isAmount(unit) && alert.value !== null;
  const dollars = isPrice && unit !== 'usd' && usd !== null ? [dollarsInShort(usd)] : [];
  const said = [...dollars, ...changeOf(alert)];
  return said.length === 0 ? '' : ` (${said.join(', ')})`;
}

/** How far a price has moved since the value before. */
function changeOf({ value, previous, unit }: WordlessAlert): readonly string[] {
  if (value === null || previous === null || !isAmount(unit)) return [];
  const before = decimalOf(previous);
  return before > 0n ? [percentMoved(decimalOf(value), before)] : [];
}

function isAmount(unit: string): boolean {
  return unit !== '%' && unit !== 'minutes';
}

function lasted({ duration }: WordlessAlert, before: string, after: string): string {
  return duration === null ? '' : `${before}${durationInWords(duration)}${after}`;
}

/** What the title does not say. */
function priceFacts(alert: WordlessAlert, rule: RuleWords): readonly Fact[] {
  const { kind, previous, duration, extreme, late } = alert;
  const { details = [], since, recover } = rule;
  const isBack = kind === 'recovered' && alert.value !== null;
  // Any other title of a value has its change.
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

/** A fact, where there is one. */
export function fact(name: string, value: string | undefined): readonly Fact[] {
  return value === undefined ? [] : [{ name, value }];
}

/** A fact of a moment, where there is one; `say` makes the rest of a sentence around it. */
export function momentFact(
  name: string,
  instant: Instant | undefined,
  say = (moment: string) => moment,
): readonly Fact[] {
  if (instant === undefined) return [];
  return [{ name, value: say(momentInWords(instant)), time: formatInstant(instant) }];
}

/** A fact whose moment is told in a time zone. */
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

/** Whether an alert is about data that come or do not, not about a value. */
function isOfData({ kind }: WordlessAlert, { missing, closing }: RuleWords): boolean {
  return missing !== undefined || closing !== undefined || kind === 'stale' || kind === 'fresh';
}

/** How far a value is from the threshold: `0.06 ETH (0.5 %) below 12 ETH`. */
function distance({ metric, value, threshold, unit }: WordlessAlert): string | undefined {
  if (value === null || unit === 'minutes') return undefined;
  const [is, line] = [decimalOf(value), decimalOf(threshold)];
  const shown = thresholdInWords(metric, threshold, unit);
  if (is === line) return `at ${shown}`;
  const far = levelInWords(metric, formatDecimal(is > line ? is - line : line - is), unit, ['0']);
  const side = `${is > line ? 'above' : 'below'} ${shown}`;
  if (unit === '%') return `${far.replace(/ %$/, ' percentage points')} ${side}`;
  const share = line > 0n ? ` (${percentMoved(is, line).replace(/^[+−]/, '')})` : '';
  return `${far}${share} ${side}`;
}

/** What a duration is of. Data were missing for longer than their alert was open. */
function lasting({ kind }: WordlessAlert): string {
  if (kind === 'fresh') return 'Alert was open for';
  return kind === 'recovered' || kind === 'closed' ? 'Lasted' : 'Open for';
}

/** Whom a value is from. */
export function sourceFacts({ metric, source }: WordlessAlert): readonly Fact[] {
  if (source === null) return [];
  const known = StoredMetric.safeParse(metric).data;
  const isPaid = known !== undefined && seriesOf(partBehind(known)).source === 'transaction';
  return fact('Source', isPaid ? `transaction ${inert(source)}` : inert(withProviderNames(source)));
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

/** A contract as a title names it: `eth:0xb47e3c…3bbb`, `eth:0xb47e3c…3bbb (Fur: Solid Gold)`. */
export function shortContract(contract: string | null): string | undefined {
  if (contract === null) return undefined;
  const key = ContractKey.safeParse(contract);
  const short = contract.replace(/(0x.{6})[^?]*([^?]{4})(\?.*)?$/, '$1…$2');
  return key.success ? inert(nameWithTraits(short, key.data)) : short;
}
