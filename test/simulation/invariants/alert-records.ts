import type { Item } from '#shared/stores/table.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';

/**
 * Joins alerts with their delivery outcomes, which are separate items: each joined write shows an
 * alert with all its deliveries.
 */
export function createAlertRecords() {
  const known = new Map<string, Item>();
  return {
    join: (written: Written): Written => {
      const { pk, sk } = written.key;
      const { after } = written;
      const [, at = '', number = '', id = ''] = sk.split('#');
      const place = `${pk} ${at}#${number}#${id}`;
      const before = known.get(place);
      if (after !== undefined) known.set(place, joined(before, after));
      return { ...written, before, after: after && known.get(place) };
    },
  };
}

function joined(record: Item | undefined, written: Item): Item {
  if (written.sk.startsWith('ALERT#')) {
    const { destinations = [] } = written as { readonly destinations?: readonly string[] };
    const pending = destinations.map((id) => [id, { state: 'pending' }] as const);
    return { ...written, deliveries: Object.fromEntries(pending) };
  }
  if (record === undefined) throw new Error(`an outcome has no alert: ${written.sk}`);
  const { destination, state, at, reason } = written;
  const deliveries = { ...Object(record.deliveries), [String(destination)]: { state, at, reason } };
  return { ...record, deliveries };
}
