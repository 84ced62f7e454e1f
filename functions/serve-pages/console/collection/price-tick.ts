/** Significant digits of the price of a dragged line. */
const DIGITS = 4;

/**
 * Rounds the price at a pixel of the chart to four significant digits. Returns a decimal string,
 * because all other code keeps prices as strings.
 */
export function snapped(price: number): string {
  if (!(price > 0)) return '0';
  const shift = DIGITS - 1 - Math.floor(Math.log10(price));
  const digits = String(Math.round(shift >= 0 ? price * 10 ** shift : price / 10 ** -shift));
  if (shift <= 0) return `${digits}${'0'.repeat(-shift)}`;
  const padded = digits.padStart(shift + 1, '0');
  const whole = padded.slice(0, -shift);
  const fraction = padded.slice(-shift).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
