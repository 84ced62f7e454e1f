import { type Decimal, ONE, parseDecimal } from '#shared/domain/market/decimal.ts';
import { cutToUnits, durationInWords, formatDuration } from '#shared/domain/market/duration.ts';
import { MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { familyNamed, spanInWords } from './metric.ts';

/** What a metric is called in a sentence. */
export function metricName(metric: string): string {
  return familyNamed(metric)?.named(spanInWords(metric)) ?? metric;
}

/**
 * A value of a metric in words; a change has its sign: `+0.65 %`. It is cut to the digits of its
 * family, or to as many more as show on which side of the lines of its rule it is.
 */
export function valueInWords(
  metric: string,
  value: string,
  unit: string,
  lines: readonly (string | null | undefined)[] = [],
): string {
  const amount = levelInWords(metric, value, unit, lines);
  const isSigned = (familyNamed(metric)?.signed ?? false) !== false;
  return isSigned && /^(?!0 )\d/.test(amount) ? `+${amount}` : amount;
}

/** A threshold of a metric in words, with all of its digits. */
export function thresholdInWords(metric: string, threshold: string, unit: string): string {
  return valueInWords(metric, threshold, unit, [threshold]);
}

/** A value of a metric as `valueInWords`, without the sign of a rise. */
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

/** The number of the last form: of a time to the second, and exact of anything else. */
function numberIn(forms: readonly Form[]): Decimal {
  return forms.at(-1)?.number ?? 0n;
}

function sideOf(number: Decimal, limit: Decimal): number {
  return Number(number > limit) - Number(number < limit);
}

/** A number in words, and the number that a reader takes it for. */
type Form = { readonly number: Decimal; readonly text: string };

/** A value in words, from the usual number of digits to all of them. */
function formsOf(value: string, unit: string, digits: number | 'all'): readonly Form[] {
  if (unit === 'minutes') return spansOf(value);
  const least = digits === 'all' ? usualDigits(value, unit) : digits;
  const most = Math.max(least, value.split('.')[1]?.length ?? 0);
  return Array.from({ length: most - least + 1 }, (_, more) => {
    const shown = cut(value, least + more);
    return { number: decimalOf(shown), text: withUnit(shown, unit) };
  });
}

/** Minutes in the two largest units and to the second; of less than a second, as a number. */
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

/** An amount with its unit as people write it: `59.9 ETH`, `$130,338.51`, `−12.3 %`, `6 h`. */
export function amountInWords(value: string, unit: string): string {
  return formsOf(value, unit, 'all')[0]?.text ?? value;
}

/** Dollars are cut to the cent, but for what is less than one dollar. */
function usualDigits(value: string, unit: string): number {
  const [whole = '0', fraction = ''] = value.split('.');
  return unit === 'usd' && whole !== '0' ? 2 : fraction.length;
}

function withUnit(value: string, unit: string): string {
  switch (unit) {
    case 'usd':
      return dollars(value);
    case '%':
      return `${value.replace('-', '−')} %`;
    case 'sales':
    case 'owners':
      return value === '1' ? `1 ${unit.slice(0, -1)}` : `${value} ${unit}`;
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
  return durationInWords(formatDuration(millisecondsOf(minutes ?? '0')));
}

/** Rounded, since a third of a minute has no last digit. */
function millisecondsOf(minutes: string): number {
  return Number((decimalOf(minutes) * BigInt(MINUTE) + ONE / 2n) / ONE);
}

function dollars(usd: string): string {
  const [whole = '0', fraction = ''] = usd.split('.');
  return `$${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction.padEnd(2, '0')}`;
}

/** Dollars as a title has them, in three digits, cut: `$747.85`, `$36.1k`, `$1.25M`. */
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

/** A number of an alert; zero for a text that is none, which another version may have written. */
export function decimalOf(text: string): Decimal {
  return parseDecimal(text) ?? 0n;
}
