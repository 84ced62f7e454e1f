import { TextField, type TextFieldProps } from './fields.tsx';

type Reading =
  | { readonly kind: 'none' }
  | { readonly kind: 'decimal'; readonly decimal: string }
  /** The text has a comma before three digits, which may separate thousands or a fraction. */
  | { readonly kind: 'ambiguous'; readonly readings: readonly [string, string] }
  | { readonly kind: 'unreadable' };

/**
 * Reads a number as people type it: with a point or a comma, and with thousands separators.
 * Amounts are money, so an ambiguous number is not guessed.
 */
export function readDecimal(text: string): Reading {
  const typed = text.trim().replaceAll(/[\s'’_]/g, '');
  if (typed === '') return { kind: 'none' };
  const [, sign = '', body = ''] = /^([-−+]?)([\d.,]+)$/.exec(typed) ?? [];
  if (!/\d/.test(body)) return { kind: 'unreadable' };
  const read = (number: string): Reading => {
    const [whole = '', fraction] = number.split('.');
    const digits = whole.replace(/^0+(?=\d)/, '') || '0';
    const minus = sign === '-' || sign === '−' ? '-' : '';
    return { kind: 'decimal', decimal: `${minus}${digits}${fraction ? `.${fraction}` : ''}` };
  };
  if (/^\d*\.?\d*$/.test(body)) return read(body);
  if (/^[1-9]\d{0,2},\d{3}$/.test(body)) {
    const minus = sign === '-' || sign === '−' ? '-' : '';
    return {
      kind: 'ambiguous',
      readings: [minus + body.replace(',', '.'), minus + body.replace(',', '')],
    };
  }
  if (/^\d*,\d*$/.test(body)) return read(body.replace(',', '.'));
  if (/^\d{1,3}(,\d{3})+(\.\d*)?$/.test(body)) return read(body.replaceAll(',', ''));
  if (/^\d{1,3}(\.\d{3})+,\d*$/.test(body) || /^\d{1,3}(\.\d{3}){2,}$/.test(body)) {
    return read(body.replaceAll('.', '').replace(',', '.'));
  }
  return { kind: 'unreadable' };
}

/** Converts a text to a decimal in the API's format; undefined for an empty or unreadable text. */
export function decimalIn(text: string): string | undefined {
  const reading = readDecimal(text);
  return reading.kind === 'decimal' ? reading.decimal : undefined;
}

/**
 * A field for a number. If the typed text is not in the API's decimal format, the hint shows the
 * decimal that is read from it. When the field loses the focus, the decimal replaces the text.
 */
export function DecimalField(props: TextFieldProps) {
  const { value, onValue, hint, problem } = props;
  const reading = readDecimal(value);
  const isRewritten = reading.kind === 'decimal' && reading.decimal !== value.trim();
  return (
    <TextField
      {...props}
      inputMode="decimal"
      hint={isRewritten ? `Read as ${reading.decimal}.${hint ? ` ${hint}` : ''}` : hint}
      problem={problemIn(reading) ?? problem}
      onLeave={() => {
        if (reading.kind === 'decimal' && reading.decimal !== value) onValue(reading.decimal);
      }}
    />
  );
}

function problemIn(reading: Reading): string | undefined {
  if (reading.kind === 'unreadable') return 'Enter a number, such as 9.5.';
  if (reading.kind !== 'ambiguous') return undefined;
  const [fraction, thousands] = reading.readings;
  return `This can mean ${fraction} or ${thousands}. Enter the number without a comma.`;
}
