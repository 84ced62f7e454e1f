import { parseDecimal } from '#shared/domain/market/decimal.ts';
import type { Alert } from './alert.ts';

/** An alert before it is put into words. */
export type WordlessAlert = Omit<Alert, 'text'>;

/** A rule in words: what its owner calls it, and its condition, `below 60 ETH`. */
export type RuleWords = { readonly label?: string | undefined; readonly condition: string };

/** The alert as a person reads it in an email: what happened, against what, as of when, from whom. */
export function alertText(alert: WordlessAlert, rule: RuleWords): string {
  const lines = alert.kind === 'expired' ? expiredLines(alert, rule) : priceLines(alert, rule);
  return [subject(alert, rule), '', ...lines, '', ...footer(alert)].join('\n');
}

/** The first line of an alert's text says it all: an email's subject, the notification on a phone. */
export function alertSubject({ text }: Alert): string {
  return text.split('\n', 1).join('');
}

function subject(alert: WordlessAlert, { condition }: RuleWords): string {
  const what = alert.name ?? shortContract(alert.contract) ?? alert.rule;
  const metric = metricName(alert.metric);
  const value = amount(alert.value, alert.unit);
  switch (alert.kind) {
    case 'fired':
      return `${what}: ${metric} ${value}, ${beyond(alert, condition)}`;
    case 'worsened':
      return `${what}: ${metric} ${value}, further ${condition}`;
    case 'reminder':
      return `${what}: ${metric} still ${condition}, now ${value}`;
    case 'recovered':
      return `${what}: ${metric} recovered to ${value}`;
    case 'expired':
      return `Rule ${alert.rule} of ${alert.watchlist} has expired`;
  }
}

/** What a metric is called in a sentence. */
function metricName(metric: string): string {
  if (metric === 'floor_price') return 'floor price';
  if (metric === 'floor_price_usd') return 'floor price in USD';
  const [, days = ''] = /^lowest_price\.(\d+)d$/.exec(metric) ?? [];
  return days === '' ? metric : `lowest sale of ${days} ${days === '1' ? 'day' : 'days'}`;
}

/** An amount with its unit as people write it: `59.9 ETH`, `no trade left`. */
function amount(value: string | null, unit: string): string {
  return value === null ? 'no trade left' : `${value} ${unit.toUpperCase()}`;
}

function priceLines(alert: WordlessAlert, { label, condition }: RuleWords): string[] {
  const native = amount(alert.value, alert.unit);
  const usd = alert.usd === null || alert.unit === 'usd' ? '' : ` (${dollars(alert.usd)})`;
  const was = alert.previous === null ? '' : `, was ${amount(alert.previous, alert.unit)}`;
  return [
    `${capital(metricName(alert.metric))}: ${native}${usd}${was}`,
    `Rule: ${label === undefined ? '' : `${label}: `}${condition}`,
    ...(alert.duration === null
      ? []
      : [`${alert.kind === 'recovered' ? 'Lasted' : 'So far'}: ${alert.duration}`]),
    ...(alert.extreme === null ? [] : [`Furthest: ${amount(alert.extreme, alert.unit)}`]),
    `As of: ${alert.dataTime}${alert.late ? ' (late: seen only after a downtime)' : ''}`,
    ...(alert.source === null ? [] : [`Source: ${alert.source}`]),
  ];
}

function expiredLines(alert: WordlessAlert, { condition }: RuleWords): string[] {
  return [
    `The rule "${metricName(alert.metric)} ${condition}" expired at ${alert.dataTime}.`,
    'It watches nothing any more; give it a later "expiresAt" to go on.',
  ];
}

function footer(alert: WordlessAlert): string[] {
  return [
    ...(alert.contract === null ? [] : [`Contract: ${alert.contract}`]),
    `Watchlist: ${alert.watchlist}, rule: ${alert.rule}, severity: ${alert.severity}`,
    `Alert: ${alert.id}`,
  ];
}

function beyond({ when, threshold, unit, value }: WordlessAlert, condition: string): string {
  if (when === 'below' || when === 'above') return `at or ${when} ${amount(threshold, unit)}`;
  if (when !== 'crosses') return condition;
  const rose = value !== null && isGreater(value, threshold);
  return `${rose ? 'rose above' : 'fell below'} ${amount(threshold, unit)}`;
}

function isGreater(left: string, right: string): boolean {
  return (parseDecimal(left) ?? 0n) > (parseDecimal(right) ?? 0n);
}

/** Dollars to the cent, cut: for reading only, the exact number is in the alert. */
function dollars(usd: string): string {
  const [whole = '0', fraction = ''] = usd.split('.');
  return `$${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction.slice(0, 2).padEnd(2, '0')}`;
}

function shortContract(contract: string | null): string | undefined {
  return contract === null ? undefined : contract.replace(/(0x.{6}).*(.{4})$/, '$1…$2');
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
