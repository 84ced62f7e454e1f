import { ContractKey } from '#shared/domain/market/contract.ts';
import type { Key } from '#shared/stores/table.ts';
import { type Action, write } from './users.ts';

export const GREEDY = 'greedy';
/** What the addresses begin with that it invents; no real contract of the simulation does. */
const INVENTED = 'eth:0xbad0';
const CONTRACTS = 20;
/** So many of them are others with each edit. */
const NEW_ONES = 10;

/** A tenant that takes what it can get: invented contracts, and ever new ones. */
export function writesGreedily(edit: number): Action {
  const list = { tenant: GREEDY, id: 'list' };
  const contracts = Array.from({ length: CONTRACTS }, (_, index) =>
    inventedContract(edit * NEW_ONES + index),
  );
  const body = {
    ...{ id: list.id, name: 'all there is', contracts },
    rules: [{ id: 'any', metric: 'lowest_price.1d', when: 'below', threshold: '1' } as const],
  };
  return { name: 'greedy write', by: list, work: (ports) => write(ports, list, body) };
}

/** Whether an item is about what only that tenant has or watches. */
export function isOfGreedyTenant({ pk, sk }: Key): boolean {
  return pk.split('#').includes(GREEDY) || pk.includes(INVENTED) || sk.includes(INVENTED);
}

function inventedContract(number: number): ContractKey {
  // Spread over the minutes of a cadence, which go by the end of an address.
  const digits = (number * 7919).toString(16).padStart(36, '0');
  return ContractKey.parse(`${INVENTED}${digits}`);
}
