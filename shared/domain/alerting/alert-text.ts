import type { Alert } from './alert.ts';

/** An alert before it is put into words. */
export type WordlessAlert = Omit<Alert, 'text'>;

/** One line that says it all: the subject of an email, the notification on a phone. */
export function alertSubject(alert: WordlessAlert): string {
  const what = alert.name ?? shortContract(alert.contract) ?? alert.rule;
  switch (alert.kind) {
    case 'fired':
      return `${what}: ${metricName(alert.metric)} ${amount(alert.value, alert.unit)}, ${beyond(alert)}`;
    case 'recovered':
      return `${what}: ${metricName(alert.metric)} recovered to ${amount(alert.value, alert.unit)}`;
    case 'expired':
      return `Rule ${alert.rule} of ${alert.watchlist} has expired`;
  }
}

/** The alert as a person reads it in an email: what happened, against what, as of when, from whom. */
export function alertText(alert: WordlessAlert, label?: string): string {
  const lines = alert.kind === 'expired' ? expiredLines(alert) : priceLines(alert, label);
  return [alertSubject(alert), '', ...lines, '', ...footer(alert)].join('\n');
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

function priceLines(alert: WordlessAlert, label: string | undefined): string[] {
  const native = amount(alert.value, alert.unit);
  const usd = alert.usd === null || alert.unit === 'usd' ? '' : ` (${dollars(alert.usd)})`;
  const was = alert.previous === null ? '' : `, was ${amount(alert.previous, alert.unit)}`;
  return [
    `${capital(metricName(alert.metric))}: ${native}${usd}${was}`,
    `Rule: ${label === undefined ? '' : `${label}: `}${alert.when} ${amount(alert.threshold, alert.unit)}`,
    ...(alert.duration === null ? [] : [`Lasted: ${alert.duration}`]),
    ...(alert.extreme === null ? [] : [`Furthest: ${amount(alert.extreme, alert.unit)}`]),
    `As of: ${alert.dataTime}${alert.late ? ' (late: seen only after a downtime)' : ''}`,
    ...(alert.source === null ? [] : [`Source: ${alert.source}`]),
  ];
}

function expiredLines(alert: WordlessAlert): string[] {
  return [
    `The rule "${metricName(alert.metric)} ${alert.when} ${amount(alert.threshold, alert.unit)}" expired at ${alert.dataTime}.`,
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

function beyond({ when, threshold, unit }: WordlessAlert): string {
  return `${when === 'below' ? 'at or below' : 'at or above'} ${amount(threshold, unit)}`;
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
