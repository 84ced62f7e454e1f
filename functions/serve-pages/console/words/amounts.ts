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

/** An amount with four digits behind the point: more say nothing of a volume or an average. */
export function shortAmount(value: string, unit: string): string {
  const [whole = '0', fraction = ''] = value.split('.');
  const kept = fraction.slice(0, 4).replace(/0+$/, '');
  const short = kept === '' ? whole : `${whole}.${kept}`;
  // Less than the last of these digits is not nothing.
  return amount(short === '0' ? value : short, unit);
}

/** Dollars to the cent: more digits say nothing. */
export function dollars(value: string): string {
  const [, sign = '', whole = '0', cents = ''] = /^(-?)(\d+)(?:\.(\d{1,2}))?/.exec(value) ?? [];
  return `${sign && '−'}$${grouped(whole)}${cents && `.${cents.padEnd(2, '0')}`}`;
}

/** `lowest_price.7d` → `lowest price 7d`. */
export function metricInWords(metric: string): string {
  return metric.replaceAll(/[_.]/g, ' ');
}

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

/** To one digit behind the point, and to two below one. */
function short(percent: string): string {
  const [, whole = '0', digits = ''] = /^(-?\d+)(?:\.(\d+))?$/.exec(percent) ?? [];
  const kept = digits.slice(0, /^-?0$/.test(whole) ? 2 : 1);
  return /^0*$/.test(kept) ? whole : `${whole}.${kept}`;
}

function signed(value: string): string {
  return value.replace(/^-/, '−');
}

function grouped(value: string): string {
  const [whole = '', fraction] = value.split('.');
  const groups = signed(whole).replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}
