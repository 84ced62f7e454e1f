import { type Decimal, ONE, parseDecimal } from '#shared/domain/market/decimal.ts';
import { cutToUnits, durationInWords, formatDuration } from '#shared/domain/market/duration.ts';
import { MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { familyNamed, isSigned, spanInWords } from './metric.ts';

/** The name of a metric in a sentence. */
export function metricName(metric: string): string {
  return familyNamed(metric)?.named(spanInWords(metric)) ?? metric;
}

/**
 * Formats a value of a metric; a change has its sign: `+0.65%`. The value is truncated to the
 * fraction digits of its family. It gets more digits if these are needed to show on which side of
 * the rule's `lines` it is.
 */
export function valueInWords(
  metric: string,
  value: string,
  unit: string,
  lines: readonly (string | null | undefined)[] = [],
): string {
  const amount = levelInWords(metric, value, unit, lines);
  return isSigned(metric) && ABOVE_ZERO.test(amount) ? `+${amount}` : amount;
}

/** Matches a formatted number greater than zero. */
const ABOVE_ZERO = /^(?!0[ %]|\$0\.00$)\$?\d/;

/** Formats a threshold of a metric with all its digits. */
export function thresholdInWords(metric: string, threshold: string, unit: string): string {
  return valueInWords(metric, threshold, unit, [threshold]);
}

/** Formats a value like `valueInWords`, but without a plus sign. */
export function levelInWords(
  metric: string,
  value: string,
  unit: string,
  lines: readonly (string | null | undefined)[] = [],
): string {
  const digits = familyNamed(metric)?.digits ?? 'all';
  const forms = formsOf(value, unit, digits);
  const exact = numberIn(forms);
  const limits = lines.flatMap((line) => (line ? [numberIn(formsOf(line, unit, digits))] : []));
  const isTrue = ({ number }: Form) =>
    limits.every((limit) => sideOf(number, limit) === sideOf(exact, limit));
  return (forms.find(isTrue) ?? forms.at(-1))?.text ?? value;
}

/**
 * The number of the most precise form. It is exact, except that times are truncated to a second.
 */
function numberIn(forms: readonly Form[]): Decimal {
  return forms.at(-1)?.number ?? 0n;
}

function sideOf(number: Decimal, limit: Decimal): number {
  return Number(number > limit) - Number(number < limit);
}

/** A formatted number, and the number that a reader gets from it. */
type Form = { readonly number: Decimal; readonly text: string };

/** The forms of a value, from the usual number of fraction digits to all digits. */
function formsOf(value: string, unit: string, digits: number | 'all'): readonly Form[] {
  if (unit === 'minutes') return spansOf(value);
  const least = digits === 'all' ? usualDigits(value, unit) : digits;
  const most = Math.max(least, value.split('.')[1]?.length ?? 0);
  return Array.from({ length: most - least + 1 }, (_, more) => {
    const shown = cut(value, least + more);
    return { number: decimalOf(shown), text: withUnit(shown, unit) };
  });
}

/**
 * The forms of minutes: the two largest units, then all units. A time below a second is shown as a
 * fraction of a minute.
 */
function spansOf(minutes: string): readonly Form[] {
  const milliseconds = millisecondsOf(minutes);
  if (milliseconds > 0 && milliseconds < SECOND) {
    return [{ number: decimalOf(minutes), text: `${minutes} min` }];
  }
  return [2, 4].map((units) => {
    const shown = cutToUnits(milliseconds, units);
    const number = (BigInt(shown) * ONE) / BigInt(MINUTE);
    return { number, text: durationInWords(formatDuration(shown), units) };
  });
}

/** Formats an amount with its unit: `59.9 ETH`, `$130,338.51`, `−12.3%`, `6 h`. */
export function amountInWords(value: string, unit: string): string {
  return formsOf(value, unit, 'all')[0]?.text ?? value;
}

/** The usual number of fraction digits: two for amounts of at least one dollar, else all. */
function usualDigits(value: string, unit: string): number {
  const [whole = '0', fraction = ''] = value.split('.');
  return unit === 'usd' && !/^-?0$/.test(whole) ? 2 : fraction.length;
}

function withUnit(value: string, unit: string): string {
  switch (unit) {
    case 'usd':
      return dollars(value);
    case '%':
      return `${value.replace('-', '−')}%`;
    case 'ratio':
      return value;
    case 'sales':
    case 'owners':
      return value === '1' ? `1 ${unit.slice(0, -1)}` : `${value} ${unit}`;
    default:
      return `${value.replace('-', '−')} ${unit.toUpperCase()}`.trim();
  }
}

/** The change of a value in percent, truncated to one fraction digit: `−2.2%`, `+0.4%`. */
export function percentMoved(now: Decimal, before: Decimal): string {
  const permille = ((now - before) * 1000n) / before;
  const size = permille < 0n ? -permille : permille;
  const sign = permille === 0n ? '' : permille < 0n ? '−' : '+';
  return `${sign}${size / 10n}.${size % 10n}%`;
}

/** Truncates a decimal to a number of fraction digits, for display only. */
function cut(value: string, digits: number): string {
  const [whole = '0', fraction = ''] = value.split('.');
  const kept = fraction.slice(0, digits).replace(/0+$/, '');
  if (kept === '') return whole === '-0' ? '0' : whole;
  return `${whole}.${kept}`;
}

/** The text that replaces the missing value of a price metric. */
export function noValue(metric: string): string {
  return familyNamed(metric)?.readsSales === true ? 'no recent sale' : 'unknown';
}

/** Formats minutes as a duration: `6 h`. */
export function spoken(minutes: string | null): string {
  return durationInWords(formatDuration(millisecondsOf(minutes ?? '0')));
}

/**
 * Converts minutes to milliseconds. Rounds, because a number such as a third of a minute has no
 * exact decimal.
 */
function millisecondsOf(minutes: string): number {
  return Number((decimalOf(minutes) * BigInt(MINUTE) + ONE / 2n) / ONE);
}

function dollars(usd: string): string {
  const [whole = '0', fraction = ''] = usd.replace('-', '').split('.');
  const sign = usd.startsWith('-') ? '−' : '';
  return `${sign}$${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction.padEnd(2, '0')}`;
}

/**
 * Formats dollars for a title; amounts from $1,000 on are truncated to three digits: `$747.85`,
 * `$36.1k`, `$1.25M`.
 */
export function dollarsInShort(usd: string): string {
  const [whole = '0'] = usd.split('.');
  const [suffix, zeros] = STEPS.find(([, digits]) => whole.length > digits) ?? [];
  if (zeros === undefined) return amountInWords(usd, 'usd');
  const head = whole.slice(0, -zeros);
  const rest = whole.slice(head.length, Math.max(3, head.length)).replace(/0+$/, '');
  return `$${head}${rest === '' ? '' : `.${rest}`}${suffix}`;
}

const STEPS = [
  ['B', 9],
  ['M', 6],
  ['k', 3],
] as const;

/**
 * Parses a number of an alert. Returns 0 for an invalid text, which another version may have
 * written.
 */
export function decimalOf(text: string): Decimal {
  return parseDecimal(text) ?? 0n;
}
