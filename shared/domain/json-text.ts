import * as z from 'zod';

type Reviver = (member: string, value: unknown, context?: { readonly source?: string }) => unknown;

/** Parses JSON. */
export const JsonText = jsonText();

/**
 * Parses JSON without rounding numbers. A number that would be rounded becomes a text instead:
 * `12345678901234567890` is parsed as `"12345678901234567890"`, and `1.50` as 1.5.
 */
export const ExactJsonText = jsonText(withoutRounding);

function jsonText(reviver?: Reviver) {
  return z.string().transform((text, context): unknown => {
    try {
      return JSON.parse(text, reviver);
    } catch {
      context.issues.push({ code: 'custom', input: text, message: 'expected JSON' });
      return z.NEVER;
    }
  });
}

function withoutRounding(
  _member: string,
  value: unknown,
  { source = '' }: { readonly source?: string } = {},
): unknown {
  if (typeof value !== 'number') return value;
  const exact = decimalText(source);
  return exact === decimalText(`${value}`) ? value : exact;
}

/**
 * Numbers with more zeros than this keep their exponent, so that `1e999999999` does not fill the
 * memory.
 */
const MOST_ZEROS = 400;

/** The canonical digits of a number, without an exponent or unnecessary zeros. */
function decimalText(number: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  if (end === 0) return '0';
  const exponent = Number(power) - fraction.length + digits.length - end;
  const significant = digits.slice(0, end);
  if (Math.abs(exponent) > MOST_ZEROS) return `${sign}${significant}e${exponent}`;
  if (exponent >= 0) return `${sign}${significant}${'0'.repeat(exponent)}`;
  const padded = significant.padStart(1 - exponent, '0');
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}
