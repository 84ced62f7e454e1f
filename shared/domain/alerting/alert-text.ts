import { parseDecimal } from '#shared/domain/market/decimal.ts';
import { durationInWords } from '#shared/domain/market/duration.ts';
import type { Alert, RuleAlert } from './alert.ts';

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
};

/** The alert as a person reads it in an email: what happened, against what, as of when, from whom. */
export function alertText(alert: WordlessAlert, rule: RuleWords): string {
  const lines = alert.kind === 'expired' ? expiredLines(alert, rule) : priceLines(alert, rule);
  return [subject(alert, rule), '', ...lines, '', ...footer(alert)].join('\n');
}

/** The first line of an alert's text says it all: an email's subject, the notification on a phone. */
export function alertSubject({ text }: Alert): string {
  return text.split('\n', 1).join('');
}

function subject(alert: WordlessAlert, rule: RuleWords): string {
  if (alert.kind === 'expired') {
    return `${urgency(alert)}Rule "${alert.rule}" of watchlist "${alert.watchlist}" has expired`;
  }
  return headline(alert, happening(alert, rule));
}

/** The subject of what happened to a metric of a collection. */
export function headline(alert: WordlessAlert, what: string): string {
  const collection = alert.name ?? shortContract(alert.contract) ?? alert.rule;
  return `${urgency(alert)}${collection}: ${metricName(alert.metric)}${what}`;
}

function urgency({ severity }: WordlessAlert): string {
  return severity === 'critical' ? '[critical] ' : '';
}

function happening(alert: WordlessAlert, { condition, recover }: RuleWords): string {
  const { kind, when, threshold, unit } = alert;
  const isLeft = alert.value !== null;
  const value = alert.value === null ? ': no trade left' : ` ${amountInWords(alert.value, unit)}`;
  switch (kind) {
    case 'worsened':
      return `${value}, further ${when} ${amountInWords(threshold, unit)}`;
    case 'reminder':
      return `${value}, still ${condition}`;
    case 'recovered':
      return `${value}, recovered${isLeft && recover !== undefined ? ` ${recover}` : ''}`;
    default:
      return `${value}, ${when === 'crosses' ? crossing(alert) : condition}`;
  }
}

function crossing({ value, threshold, unit }: WordlessAlert): string {
  const rose = value !== null && decimalOf(value) > decimalOf(threshold);
  return `${rose ? 'rose above' : 'fell below'} ${amountInWords(threshold, unit)}`;
}

/** What a metric is called in a sentence. */
function metricName(metric: string): string {
  if (metric === 'floor_price' || metric === 'floor_price_usd') return 'floor price';
  const [, days = ''] = /^lowest_price\.(\d+)d$/.exec(metric) ?? [];
  return days === '' ? metric : `lowest sale of ${days} ${days === '1' ? 'day' : 'days'}`;
}

/** An amount with its unit as people write it: `59.9 ETH`, `$130,338.51`. */
export function amountInWords(value: string, unit: string): string {
  return unit === 'usd' ? dollars(value) : `${value} ${unit.toUpperCase()}`.trim();
}

/** What the subject does not say. */
function priceLines(alert: WordlessAlert, { label, condition }: RuleWords): string[] {
  const { previous, unit, usd, duration, extreme, source, late } = alert;
  return [
    ...(previous === null ? [] : [`Was: ${amountInWords(previous, unit)}${change(alert)}`]),
    ...(usd === null || unit === 'usd' ? [] : [`In dollars: ${dollars(usd)}`]),
    `Rule: ${label ?? condition}`,
    ...(duration === null
      ? []
      : [`${alert.kind === 'recovered' ? 'Lasted' : 'So far'}: ${durationInWords(duration)}`]),
    ...(extreme === null ? [] : [`Furthest: ${amountInWords(extreme, unit)}`]),
    `As of: ${alert.dataTime}${late ? ' (late: seen only after a downtime)' : ''}`,
    ...(source === null ? [] : [`Source: ${sourceName(alert.metric, source)}`]),
  ];
}

/** How far the value has moved, in percent with one decimal, cut: `, −2.2 %`. */
function change({ value, previous }: WordlessAlert): string {
  if (value === null || previous === null) return '';
  const [now, before] = [decimalOf(value), decimalOf(previous)];
  if (before <= 0n) return '';
  const permille = ((now - before) * 1000n) / before;
  const size = permille < 0n ? -permille : permille;
  const sign = permille === 0n ? '' : permille < 0n ? '−' : '+';
  return `, ${sign}${size / 10n}.${size % 10n} %`;
}

/** Whom a value is from, in words. */
export function sourceName(metric: string, source: string): string {
  return metric.startsWith('lowest_price') ? `transaction ${source}` : source;
}

function expiredLines(alert: WordlessAlert, { label, condition }: RuleWords): string[] {
  return [
    `Rule: ${label ?? `${metricName(alert.metric)} ${condition}`}`,
    `Expired: ${alert.dataTime}`,
    'It watches nothing any more; give it a later "expiresAt" to go on.',
  ];
}

/** The lines by which an alert is found again. */
export function footer(alert: WordlessAlert): string[] {
  return [
    ...(alert.contract === null ? [] : [`Contract: ${alert.contract}`]),
    `Watchlist: ${alert.watchlist}, rule: ${alert.rule}, severity: ${alert.severity}`,
    `Alert: ${alert.id}`,
  ];
}

function decimalOf(text: string): bigint {
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

function shortContract(contract: string | null): string | undefined {
  return contract === null ? undefined : contract.replace(/(0x.{6}).*(.{4})$/, '$1…$2');
}
