/**
 * Exact decimal numbers: integers of 10^-18, as wei are to ether.
 *
 * Every number that is compared with a threshold is one of these; nothing
 * between the upstream's text and the comparison is a binary float.
 */
export type Decimal = bigint;

/** The most fraction digits. */
export const SCALE = 18;
/** The number one. */
export const ONE: Decimal = 10n ** BigInt(SCALE);
const DECIMAL = /^(-?)(\d{1,40})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,3}))?$/;

/** Reads a plain decimal exactly; undefined for anything else, also for more than 18 decimals. */
export function parseDecimal(text: string): Decimal | undefined {
  const [, sign, whole = '', fraction = '', exponent] = DECIMAL.exec(text) ?? [];
  if (whole === '' || exponent !== undefined) return undefined;
  const kept = fraction.replace(/0+$/, '');
  if (kept.length > SCALE) return undefined;
  return signed(sign, BigInt(whole + kept.padEnd(SCALE, '0')));
}

/**
 * Reads a decimal as vendors write it, exponents included.
 *
 * Of more than 18 decimals the rest is cut, and the 18th is no zero then: thresholds have at most 17,
 * so a price stays on its side of each of them, and none is shortened into meeting one.
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
 * Takes digits off the end; what is cut leaves its mark on a last digit of zero. What is less than
 * the finest price is nothing.
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

/** A number cut toward zero to so many decimals. */
export function cutTo(value: Decimal, decimals: number): Decimal {
  return value - (value % 10n ** BigInt(SCALE - decimals));
}

const signed = (sign: string | undefined, magnitude: bigint): bigint =>
  sign === '-' ? -magnitude : magnitude;

/** The most digits before the point. */
export const WHOLE_DIGITS = 20;

/**
 * The number that stands above every other: an unknown watch waits there, "no trade" stands there.
 */
export const GREATEST: Decimal = 10n ** BigInt(WHOLE_DIGITS + SCALE) - 1n;
export const LEAST: Decimal = -GREATEST;
