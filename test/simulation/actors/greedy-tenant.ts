import { ContractKey } from '#shared/domain/market/contract.ts';
import type { Key } from '#shared/stores/table.ts';
import { type Action, write } from './users.ts';

export const GREEDY = 'greedy';
/**
 * Prefix of the addresses that the tenant invents. No real contract of the simulation has this
 * prefix.
 */
const INVENTED = 'eth:0xbad0';
const CONTRACTS = 20;
/** Number of contracts that each edit replaces by new ones. */
const NEW_ONES = 10;

/** A list of the tenant that watches more than its share: invented contracts, half of them new. */
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

/** Whether an item belongs to the greedy tenant, or to a contract that only it watches. */
export function isOfGreedyTenant({ pk, sk }: Key): boolean {
  return pk.split('#').includes(GREEDY) || pk.includes(INVENTED) || sk.includes(INVENTED);
}

function inventedContract(number: number): ContractKey {
  // The end of an address decides in which minute of the cadence its contract is polled. The factor
  // spreads the contracts over all minutes.
  const digits = (number * 7919).toString(16).padStart(36, '0');
  return ContractKey.parse(`${INVENTED}${digits}`);
}
