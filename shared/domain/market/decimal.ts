/**
 * Exact decimal numbers, as integers in units of 10^-18, like wei and ether.
 *
 * Every number that is compared with a threshold has this type. Between the provider's text and the
 * comparison, no step uses a binary float.
 */
export type Decimal = bigint;

/** Maximum number of fraction digits. */
export const SCALE = 18;
/** The number one. */
export const ONE: Decimal = 10n ** BigInt(SCALE);
const DECIMAL = /^(-?)(\d{1,40})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Parses a decimal without an exponent. Undefined for any other text, and for more than 18 fraction
 * digits other than trailing zeros.
 */
export function parseDecimal(text: string): Decimal | undefined {
  const [, sign, whole = '', fraction = '', exponent] = DECIMAL.exec(text) ?? [];
  if (whole === '' || exponent !== undefined) return undefined;
  const kept = fraction.replace(/0+$/, '');
  if (kept.length > SCALE) return undefined;
  return signed(sign, BigInt(whole + kept.padEnd(SCALE, '0')));
}

/**
 * Parses a decimal in a provider's response, which may have an exponent.
 *
 * Digits after the 18th fraction digit are cut. If the 18th is then 0, it becomes 1: thresholds
 * have at most 17 fraction digits, so a cut price never equals a threshold, and stays on the same
 * side of every threshold.
 */
export function readDecimal(text: string): Decimal | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text.trim()) ?? [];
  if (whole === '') return undefined;
  const digits = BigInt(whole + fraction);
  const shift = Number(exponent) - fraction.length + SCALE;
  if (shift > 60) return undefined;
  return signed(sign, shift >= 0 ? digits * 10n ** BigInt(shift) : cut(digits, -shift));
}

/**
 * Removes digits at the end. A last digit of 0 becomes 1 if a cut digit was not 0. A number below
 * 10^-18 becomes 0.
 */
function cut(digits: bigint, count: number): bigint {
  const unit = 10n ** BigInt(count);
  const kept = digits / unit;
  return kept > 0n && digits % unit !== 0n && kept % 10n === 0n ? kept + 1n : kept;
}

/** The shortest decimal text of a number: `59.9`, `-3`, `0.000000000000000001`. */
export function formatDecimal(value: Decimal): string {
  const magnitude = value < 0n ? -value : value;
  const fraction = (magnitude % ONE).toString().padStart(SCALE, '0').replace(/0+$/, '');
  const whole = (magnitude / ONE).toString();
  return `${value < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Truncates a number toward zero to a number of fraction digits. */
export function cutTo(value: Decimal, decimals: number): Decimal {
  return value - (value % 10n ** BigInt(SCALE - decimals));
}

const signed = (sign: string | undefined, magnitude: bigint): bigint =>
  sign === '-' ? -magnitude : magnitude;

/** Maximum number of digits before the point. */
export const WHOLE_DIGITS = 20;

/**
 * A number greater than every price. In the threshold indexes it means "no sale". Watches that must
 * be evaluated at every price, such as new ones, are indexed under this threshold.
 */
export const GREATEST: Decimal = 10n ** BigInt(WHOLE_DIGITS + SCALE) - 1n;
export const LEAST: Decimal = -GREATEST;
