/** Amounts are exact texts from the interface to the screen; nothing here computes with them. */

/** `13.1436`, `eth` → `13.1436 ETH`; `usd` → `$40,244.91`; minutes are whole. */
export function amount(value: string, unit: string): string {
  if (unit === 'usd') return dollars(value);
  if (unit === '%') return `${signed(value)} %`;
  if (unit === 'minutes') return `${grouped(value.replace(/\..*$/, ''))} min`;
  if (unit === 'sales' || unit === 'owners') {
    return `${grouped(value)} ${value === '1' ? unit.slice(0, -1) : unit}`;
  }
  return `${grouped(value)} ${unit.toUpperCase()}`;
}

/** `eth` → `ETH`; things that are counted have a word in place of a symbol. */
export function unitInWords(unit: string): string {
  return unit === 'sales' || unit === 'owners' ? unit : unit.toUpperCase();
}

/** An amount in about five digits, cut: more say nothing of a volume or an average. */
export function shortAmount(value: string, unit: string): string {
  const [whole = '0', fraction = ''] = value.split('.');
  const kept = fraction.slice(0, Math.max(0, DIGITS - whole.length)).replace(/0+$/, '');
  const short = kept === '' ? whole : `${whole}.${kept}`;
  // Less than the last of these digits is not nothing.
  return amount(short === '0' ? value : short, unit);
}

const DIGITS = 5;

/** Dollars to the cent: more digits say nothing. */
export function dollars(value: string): string {
  const [, sign = '', whole = '0', cents = ''] = /^(-?)(\d+)(?:\.(\d{1,2}))?/.exec(value) ?? [];
  return `${sign && '−'}$${grouped(whole)}${cents && `.${cents.padEnd(2, '0')}`}`;
}

/** `lowest_price.7d` → `lowest sale in 7d`. */
export function metricInWords(metric: string): string {
  const [name = '', span] = metric.split('.');
  const words = METRICS[name] ?? name.replace(/_pct$/, '').replaceAll('_', ' ');
  return span === undefined ? words : `${words} in ${span}`;
}

/** Metrics whose names in the interface differ from their names in sentences. */
const METRICS: Readonly<Record<string, string>> = {
  data_age_minutes: 'age of the floor price',
  floor_price_usd: 'floor price',
  lowest_price: 'lowest sale',
  sale_discount_pct: 'discount of the lowest sale',
};

/** A number of things: `12,960`. */
export function whole(number: number): string {
  return grouped(String(number));
}

/** `1 tick`, `12,960 ticks`. */
export function count(number: number, word: string): string {
  return `${whole(number)} ${word}${number === 1 ? '' : 's'}`;
}

/** A change in percent, with its sign: `+1.4 %`. */
export function change(percent: string): string {
  return `${percent.startsWith('-') || /^0(\.0+)?$/.test(percent) ? '' : '+'}${signed(short(percent))} %`;
}

/** `1.4 %`. */
export function percentage(percent: string): string {
  return `${signed(short(percent))} %`;
}

/** One digit behind the point, and two below one, so that numbers align in a column. */
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
