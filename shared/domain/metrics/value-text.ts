import { type Decimal, ONE, parseDecimal } from '#shared/domain/market/decimal.ts';
import { durationInWords, formatDuration } from '#shared/domain/market/duration.ts';
import { MINUTE } from '#shared/domain/market/instant.ts';
import { familyNamed, spanInWords } from './metric.ts';

/** What a metric is called in a sentence. */
export function metricName(metric: string): string {
  return familyNamed(metric)?.named(spanInWords(metric)) ?? metric;
}

/** A value of a metric as people write it; a change reports its sign: `+0.65 %`. */
export function valueInWords(metric: string, value: string, unit: string): string {
  const amount = levelInWords(metric, value, unit);
  const isSigned = (familyNamed(metric)?.signed ?? false) !== false;
  return isSigned && /^(?!0 )\d/.test(amount) ? `+${amount}` : amount;
}

/** A value of a metric without the sign of a rise, cut to the digits that its family has. */
export function levelInWords(metric: string, value: string, unit: string): string {
  const digits = familyNamed(metric)?.digits ?? 'all';
  return amountInWords(digits === 'all' ? value : cut(value, digits), unit);
}

/** An amount with its unit as people write it: `59.9 ETH`, `$130,338.51`, `−12.3 %`, `6 h`. */
export function amountInWords(value: string, unit: string): string {
  switch (unit) {
    case 'usd':
      return dollars(value);
    case '%':
      return `${value.replace('-', '−')} %`;
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

/** Why a metric of prices has no value: no sale is left, or the value is unknown. */
export function noValue(metric: string): string {
  return familyNamed(metric)?.readsSales === true ? 'no sale left' : 'not known';
}

/** Minutes as a span of time in words: `6 h`. */
export function spoken(minutes: string | null): string {
  const milliseconds = (decimalOf(minutes ?? '0') * BigInt(MINUTE)) / ONE;
  return durationInWords(formatDuration(Number(milliseconds)));
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

/** Dollars as a title has them, in three digits, cut: `$747.85`, `$36.1k`, `$1.25M`. */
export function dollarsInShort(usd: string): string {
  const [whole = '0'] = usd.split('.');
  const [suffix, zeros] = STEPS.find(([, digits]) => whole.length > digits) ?? [];
  if (zeros === undefined) return dollars(usd);
  const head = whole.slice(0, -zeros);
  const rest = whole.slice(head.length, Math.max(3, head.length)).replace(/0+$/, '');
  return `$${head}${rest === '' ? '' : `.${rest}`}${suffix}`;
}

const STEPS = [
  ['B', 9],
  ['M', 6],
  ['k', 3],
] as const;

/** A number of an alert; zero for a text that is none, which another version may have written. */
export function decimalOf(text: string): Decimal {
  return parseDecimal(text) ?? 0n;
}
