import { collectionLinks } from '#shared/domain/market/collection-links.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { type Decimal, ONE, parseDecimal } from '#shared/domain/market/decimal.ts';
import { durationInWords, formatDuration } from '#shared/domain/market/duration.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
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
  removed: [
    'its rule is not watched any more',
    'Whether it has recovered is not watched any more.',
  ],
  expired: ['its rule has expired', 'Whether it has recovered is not watched any more.'],
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
  if (alert.kind === 'stale' || alert.kind === 'fresh') return headline(alert, dataNews(alert));
  if (alert.kind === 'closed') {
    const what = rule.missing ?? `${metricName(alert.metric)} ${rule.condition}`;
    return headline(alert, `${what}: closed, ${CLOSING[rule.closing ?? 'removed'][0]}`);
  }
  return headline(alert, `${metricName(alert.metric)}${happening(alert, rule)}`);
}

/** That data have stopped coming, or come again. */
function dataNews({ kind, metric, value }: WordlessAlert): string {
  if (kind === 'stale') return missingFor(metric, value);
  const age = metric.startsWith('silence') ? '' : `, the newest ${spoken(value)} old`;
  return `${dataAgain(metric)}${age}`;
}

/** For how long no data have come: `no new floor price for 6 h`. */
export function missingFor(metric: string, minutes: string | null): string {
  return `${noData(metric)} for ${spoken(minutes)}`;
}

/** That data a metric of the clock waits for do not come. */
export function noData(metric: string): string {
  return metric.startsWith('silence') ? 'no word on lowest sales' : 'no new floor price';
}

/** That data a metric of the clock waits for come again. */
export function dataAgain(metric: string): string {
  return metric.startsWith('silence') ? 'lowest sales are reported again' : 'floor prices again';
}

/** The subject of what happened to a collection. */
export function headline(alert: WordlessAlert, what: string): string {
  const name = alert.name === null ? undefined : inert(alert.name);
  return `${urgency(alert)}${name ?? shortContract(alert.contract) ?? alert.rule}: ${what}`;
}

/** What a subject begins with; nothing that a person named can begin like it. */
export function urgency({ severity }: Pick<Alert, 'severity'>): string {
  return severity === 'critical' ? '[critical] ' : '';
}

/** Minutes as a span of time in words: `6 h`. */
function spoken(minutes: string | null): string {
  const milliseconds = (decimalOf(minutes ?? '0') * BigInt(MINUTE)) / ONE;
  return durationInWords(formatDuration(Number(milliseconds)));
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

/** Why a metric of prices has no value: no sale is left, or the value is unknown. */
export function noValue(metric: string): string {
  return /^(lowest_price|sale_discount)/.test(metric) ? 'no sale left' : 'not known';
}

function crossing({ metric, value, threshold, unit }: WordlessAlert): string {
  const rose = value !== null && decimalOf(value) > decimalOf(threshold);
  return `${rose ? 'rose above' : 'fell below'} ${valueInWords(metric, threshold, unit)}`;
}

/** What a metric is called in a sentence. */
export function metricName(metric: string): string {
  const [name = metric, back = ''] = metric.split('.');
  const days = back === '1d' ? '1 day' : `${back.replace('d', '')} days`;
  switch (name) {
    case 'floor_price':
    case 'floor_price_usd':
      return 'floor price';
    case 'lowest_price':
      return `lowest sale of ${days}`;
    case 'floor_change_pct':
      return `floor price change in ${back}`;
    case 'floor_drop_pct':
      return `floor price drop in ${back}`;
    case 'floor_drawdown_pct':
      return `floor price drawdown in ${back}`;
    case 'floor_runup_pct':
      return `floor price run-up in ${back}`;
    case 'sale_discount_pct':
      return `discount of the lowest sale of ${days}`;
    case 'data_age_minutes':
      return 'age of the floor price';
    case 'silence_minutes':
      return 'silence about lowest sales';
    default:
      return metric;
  }
}

/** A value of a metric as people write it; a change reports its sign: `+0.65 %`. */
export function valueInWords(metric: string, value: string, unit: string): string {
  const amount = amountInWords(value, unit);
  const isRise = metric.startsWith('floor_change_pct') && /^(?!0 )\d/.test(amount);
  return isRise ? `+${amount}` : amount;
}

/** An amount with its unit as people write it: `59.9 ETH`, `$130,338.51`, `−12.3 %`, `6 h`. */
export function amountInWords(value: string, unit: string): string {
  switch (unit) {
    case 'usd':
      return dollars(value);
    case '%':
      return `${cut(value, 2).replace('-', '−')} %`;
    case 'minutes':
      return spoken(value);
    default:
      return `${value} ${unit.toUpperCase()}`.trim();
  }
}

/** How far a value has moved, in percent with one decimal, cut: `−2.2 %`, `+0.4 %`. */
export function percentMoved(now: Decimal, before: Decimal): string {
  const permille = ((now - before) * 1000n) / before;
  const size = permille < 0n ? -permille : permille;
  const sign = permille === 0n ? '' : permille < 0n ? '−' : '+';
  return `${sign}${size / 10n}.${size % 10n} %`;
}

/** A decimal with so many digits behind the point at most, for reading only. */
function cut(value: string, digits: number): string {
  const [whole = '0', fraction = ''] = value.split('.');
  const kept = fraction.slice(0, digits).replace(/0+$/, '');
  if (kept === '') return whole === '-0' ? '0' : whole;
  return `${whole}.${kept}`;
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
    `As of: ${alert.dataTime}${late ? ' (late: seen only after a downtime)' : ''}`,
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
  return metric.startsWith('lowest_price') ? `transaction ${inert(source)}` : inert(source);
}

function expiredLines(alert: WordlessAlert, rule: RuleWords): string[] {
  return [
    ...ruleLines(alert, rule),
    `Expired: ${alert.dataTime}`,
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

function decimalOf(text: string): Decimal {
  return parseDecimal(text) ?? 0n;
}

/**
 * Dollars to the cent, cut, and all digits of what is less than one: for reading only, the exact
 * number is in the alert.
 */
function dollars(usd: string): string {
  const [whole = '0', fraction = ''] = usd.split('.');
  const cents = whole === '0' ? fraction : fraction.slice(0, 2);
  return `$${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${cents.padEnd(2, '0')}`;
}

/** A contract as a subject names it: `eth:0xb47e3c…3bbb`. */
export function shortContract(contract: string | null): string | undefined {
  return contract === null ? undefined : contract.replace(/(0x.{6}).*(.{4})$/, '$1…$2');
}
