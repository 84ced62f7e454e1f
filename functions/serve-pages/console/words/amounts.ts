/** Amounts are exact decimal strings. This file formats them and never converts them to numbers. */

/**
 * Formats an amount: `13.1436`, `eth` → `13.1436 ETH`; `usd` → `$40,244.91`; minutes without
 * fraction.
 */
export function amount(value: string, unit: string): string {
  if (unit === 'usd') return dollars(value);
  if (unit === '%') return `${signed(value)}%`;
  if (unit === 'minutes') return `${grouped(value.replace(/\..*$/, ''))} min`;
  if (unit === 'sales' || unit === 'owners') {
    return `${grouped(value)} ${value === '1' ? unit.slice(0, -1) : unit}`;
  }
  return `${grouped(value)} ${unitInWords(unit)}`.trim();
}

/**
 * The symbol of a unit: `eth` → `ETH`. For sales and owners it is a word, and for ratios it is
 * empty.
 */
export function unitInWords(unit: string): string {
  if (unit === 'ratio') return '';
  return unit === 'sales' || unit === 'owners' ? unit : unit.toUpperCase();
}

/** A label with its unit: `Threshold, in ETH`. A ratio has no unit. */
export function labelWithUnit(label: string, unit: string): string {
  return unit === '' ? label : `${label}, in ${unit}`;
}

/** A measured value. It is exact, except for a ratio, which is cut to about five digits. */
export function measuredAmount(value: string, unit: string): string {
  return unit === 'ratio' ? shortAmount(value, unit) : amount(value, unit);
}

/** An amount cut to about five digits, for volumes, averages and ratios. */
export function shortAmount(value: string, unit: string): string {
  const [whole = '0', fraction = ''] = value.split('.');
  const zeros = whole === '0' ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0;
  const kept = fraction.slice(0, zeros + Math.max(0, DIGITS - whole.length)).replace(/0+$/, '');
  return amount(kept === '' ? whole : `${whole}.${kept}`, unit);
}

const DIGITS = 5;

/** Dollars, cut to the cent. */
export function dollars(value: string): string {
  const [, sign = '', whole = '0', cents = ''] = /^(-?)(\d+)(?:\.(\d{1,2}))?/.exec(value) ?? [];
  return `${sign && '−'}$${grouped(whole)}${cents && `.${cents.padEnd(2, '0')}`}`;
}

/** The words for a metric: `lowest_price.7d` → `lowest sale in 7d`. */
export function metricInWords(metric: string): string {
  const [name = '', span] = metric.split('.');
  const words = METRICS[name] ?? name.replace(/_pct$/, '').replaceAll('_', ' ');
  return span === undefined ? words : `${words} in ${span}`;
}

/** Metrics whose words differ from their names in the API. */
const METRICS: Readonly<Record<string, string>> = {
  data_age_minutes: 'age of the floor price',
  floor_price_usd: 'floor price',
  floor_vs_average_pct: 'floor vs. average',
  lowest_price: 'lowest sale',
  sale_discount_pct: 'discount of the lowest sale',
};

/** Formats a count: `12,960`. */
export function whole(number: number): string {
  return grouped(String(number));
}

/** Formats a count with its noun: `1 tick`, `12,960 ticks`. */
export function count(number: number, word: string): string {
  return `${whole(number)} ${word}${number === 1 ? '' : 's'}`;
}

/** Formats a change in percent with its sign: `+1.4%`. */
export function change(percent: string): string {
  return `${percent.startsWith('-') || /^0(\.0+)?$/.test(percent) ? '' : '+'}${signed(short(percent))}%`;
}

/** Formats a percentage: `1.4%`. */
export function percentage(percent: string): string {
  return `${signed(short(percent))}%`;
}

/** Keeps one fraction digit, or two for numbers below one, so that numbers align in a column. */
function short(percent: string): string {
  const [, whole = '0', digits = ''] = /^(-?\d+)(?:\.(\d+))?$/.exec(percent) ?? [];
  const isSmall = /^-?0$/.test(whole);
  if (isSmall && /^0?0?/.exec(digits)?.[0] === digits.slice(0, 2)) return '0';
  return `${whole}.${digits.padEnd(2, '0').slice(0, isSmall ? 2 : 1)}`;
}

function signed(value: string): string {
  return value.replace(/^-/, '−');
}

function grouped(value: string): string {
  const [whole = '', fraction] = value.split('.');
  const groups = signed(whole).replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}
