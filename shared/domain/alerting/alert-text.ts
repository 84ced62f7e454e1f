import { collectionLinks } from '#shared/domain/market/collection-links.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { durationInWords } from '#shared/domain/market/duration.ts';
import { momentInWords } from '#shared/domain/market/instant.ts';
import { clockOf, familyNamed } from '#shared/domain/metrics/metric.ts';
import {
  decimalOf,
  metricName,
  noValue,
  percentMoved,
  spoken,
  valueInWords,
} from '#shared/domain/metrics/value-text.ts';
import type { Alert, RuleAlert } from './alert.ts';
import { inert } from './inert-text.ts';

/** An alert before it is put into words. */
export type WordlessAlert = Omit<RuleAlert, 'text'>;

/**
 * A rule in words: what its owner calls it, its condition, `at or below 60 ETH`, and where a value
 * has recovered from it, `above 60 ETH`.
 */
export type RuleWords = {
  readonly label?: string | undefined;
  readonly condition: string;
  readonly recover?: string | undefined;
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
  /** Why an episode is closed. */
  readonly closing?: keyof typeof CLOSING;
  /** What stands behind the number, a line each. */
  readonly details?: readonly string[];
};

/** Why an episode is closed that has not recovered, and what comes next. */
const CLOSING = {
  changed: [
    'its rule was changed',
    'The changed rule begins anew, and fires again where it holds.',
  ],
  paused: ['its rule was paused', 'It begins anew when it is enabled again.'],
  removed: ['its rule is not watched any more', 'What becomes of it is not watched any more.'],
  expired: ['its rule has expired', 'What becomes of it is not watched any more.'],
} as const;

/**
 * The alert as a person reads it in an email: what happened, against what, as of when, from whom.
 */
export function alertText(alert: WordlessAlert, rule: RuleWords): string {
  const lines = alert.kind === 'expired' ? expiredLines(alert, rule) : priceLines(alert, rule);
  return [subject(alert, rule), '', ...lines, '', ...footer(alert)].join('\n');
}

/**
 * The first line of an alert's text says it all: an email's subject, the notification on a phone.
 */
export function alertSubject({ text }: Alert): string {
  return text.split('\n', 1).join('');
}

function subject(alert: WordlessAlert, rule: RuleWords): string {
  if (alert.kind === 'expired') {
    return `${urgency(alert)}Rule "${alert.rule}" of watchlist "${alert.watchlist}" has expired`;
  }
  if (alert.kind === 'stale' || alert.kind === 'fresh')
    return headline(alert, dataNews(alert, rule));
  if (alert.kind === 'closed') {
    const what = rule.missing ?? ownWords(alert.metric, rule);
    return headline(alert, `${what}: closed, ${CLOSING[rule.closing ?? 'removed'][0]}`);
  }
  return headline(alert, `${metricName(alert.metric)}${happening(alert, rule)}`);
}

/** That data have stopped coming, or come again. */
function dataNews(alert: WordlessAlert, { missing, why }: RuleWords): string {
  const { kind, metric, value, unit } = alert;
  if (missing === undefined) {
    if (kind === 'stale') return `${noValueYet(metric)}${why === undefined ? '' : `: ${why}`}`;
    if (value === null) return `${metricName(metric)}: the first data have come`;
    return `${metricName(metric)} ${valueInWords(metric, value, unit)}, its first value`;
  }
  if (kind === 'stale') return missingFor(metric, value);
  const isOfNewest = clockOf(metric)?.since === 'newest';
  const age = isOfNewest ? `, the newest ${spoken(value)} old` : '';
  return `${dataAgain(metric)}${age}`;
}

/** The condition of a rule, or that there is nothing yet to compare with it. */
export function ownWords(metric: string, { condition, hasNoValue }: RuleWords): string {
  return hasNoValue === true ? noValueYet(metric) : `${metricName(metric)} ${condition}`;
}

/** That a metric has never had a value. */
export function noValueYet(metric: string): string {
  return `no ${metricName(metric)} yet`;
}

/** For how long no data have come: `no new floor price for 6 h`. */
export function missingFor(metric: string, minutes: string | null): string {
  return `${noData(metric)} for ${spoken(minutes)}`;
}

/** That data a metric of the clock waits for do not come. */
export function noData(metric: string): string {
  return clockOf(metric)?.missing ?? 'no new data';
}

/** That data a metric of the clock waits for come again. */
export function dataAgain(metric: string): string {
  return clockOf(metric)?.again ?? 'data again';
}

/** The subject of what happened to a collection. */
export function headline(alert: WordlessAlert, what: string): string {
  const name = alert.name === null ? undefined : inert(alert.name);
  return `${urgency(alert)}${name ?? shortContract(alert.contract) ?? alert.rule}: ${what}`;
}

/** What a subject begins with; nothing that a person named can begin like it. */
export function urgency(alert: Pick<Alert, 'severity' | 'kind' | 'open'>): string {
  if (alert.severity !== 'critical') return '';
  if (isGoodNews(alert)) return '[resolved] ';
  return alert.kind === 'closed' ? '' : '[critical] ';
}

/** Whether an alert says that what it was about is over; one that is only closed says nothing of that. */
export function isGoodNews({ kind, open }: Pick<Alert, 'kind' | 'open'>): boolean {
  return open === false && kind !== 'closed';
}

function happening(alert: WordlessAlert, words: RuleWords): string {
  const { condition, recover, isBetween = false } = words;
  const { kind, metric, when, threshold, unit } = alert;
  const isLeft = alert.value !== null;
  const value =
    alert.value === null ? `: ${noValue(metric)}` : ` ${valueInWords(metric, alert.value, unit)}`;
  switch (kind) {
    case 'worsened':
      return `${value}, further ${when} ${valueInWords(metric, threshold, unit)}`;
    case 'reminder':
      return `${value}, ${isBetween ? `not yet recovered ${recover}` : `still ${condition}`}`;
    case 'recovered':
      return `${value}, recovered${isLeft && recover !== undefined ? ` ${recover}` : ''}`;
    case 'fired':
    case 'closed':
    case 'stale':
    case 'fresh':
    case 'summary':
    case 'expired':
    case 'channel_off':
    case 'test':
      return `${value}, ${when === 'crosses' ? crossing(alert) : condition}`;
  }
}

function crossing({ metric, value, threshold, unit }: WordlessAlert): string {
  const rose = value !== null && decimalOf(value) > decimalOf(threshold);
  return `${rose ? 'rose above' : 'fell below'} ${valueInWords(metric, threshold, unit)}`;
}

/** What the subject does not say. */
function priceLines(alert: WordlessAlert, rule: RuleWords): string[] {
  const { metric, previous, unit, duration, extreme, source, late } = alert;
  const { details = [] } = rule;
  return [
    ...(previous === null ? [] : [`Was: ${valueInWords(metric, previous, unit)}${change(alert)}`]),
    ...details,
    ...ruleLines(alert, rule),
    ...(duration === null ? [] : [`${lasting(alert)}: ${durationInWords(duration)}`]),
    ...(extreme === null ? [] : [`Furthest: ${valueInWords(metric, extreme, unit)}`]),
    ...(rule.closing === undefined ? [] : [CLOSING[rule.closing][1]]),
    `As of: ${momentInWords(Date.parse(alert.dataTime))}${late ? ' (late: seen only after a downtime)' : ''}`,
    ...(source === null ? [] : [`Source: ${sourceName(alert.metric, source)}`]),
  ];
}

/** The rule as its owner calls it, or else by its condition, and what is asked for beside it. */
export function ruleLines(
  { metric }: WordlessAlert,
  { label, condition, missing }: RuleWords,
): readonly string[] {
  if (label !== undefined) {
    return [`Rule: ${inert(label)}`, ...(missing === undefined ? [] : [`Asked for: ${missing}`])];
  }
  return [
    missing === undefined ? `Rule: ${metricName(metric)} ${condition}` : `Asked for: ${missing}`,
  ];
}

/** What a duration is of. Data were missing for longer than their alert was open. */
function lasting({ kind }: WordlessAlert): string {
  if (kind === 'fresh') return 'Alert was open for';
  return kind === 'recovered' || kind === 'closed' ? 'Lasted' : 'So far';
}

/** How far a price has moved since the value before. */
function change({ value, previous, unit }: WordlessAlert): string {
  if (value === null || previous === null || unit === '%' || unit === 'minutes') return '';
  const before = decimalOf(previous);
  return before > 0n ? `, ${percentMoved(decimalOf(value), before)}` : '';
}

/** Whom a value is from, in words. */
export function sourceName(metric: string, source: string): string {
  const isSale = familyNamed(metric)?.behind === 'sale';
  return isSale ? `transaction ${inert(source)}` : inert(source);
}

function expiredLines(alert: WordlessAlert, rule: RuleWords): string[] {
  return [
    ...ruleLines(alert, rule),
    `Expired: ${momentInWords(Date.parse(alert.dataTime))}`,
    ...(rule.details ?? []),
    'It watches nothing any more; give it a later "expiresAt" to go on.',
  ];
}

/** The lines by which an alert is found again. */
export function footer(alert: WordlessAlert): string[] {
  return [
    ...(alert.contract === null ? [] : [`Contract: ${alert.contract}`]),
    ...linksTo(alert.contract).map((link) => `See: ${link}`),
    `Watchlist: ${alert.watchlist} of ${alert.tenant}, rule: ${alert.rule}, severity: ${alert.severity}`,
    `Alert: ${alert.id}`,
  ];
}

/** Pages about the contract of an alert. */
export function linksTo(contract: string | null): readonly string[] {
  const key = ContractKey.safeParse(contract);
  return key.success ? collectionLinks(key.data) : [];
}

/** A contract as a subject names it: `eth:0xb47e3c…3bbb`. */
export function shortContract(contract: string | null): string | undefined {
  return contract === null ? undefined : contract.replace(/(0x.{6}).*(.{4})$/, '$1…$2');
}
