import type { ContractKey } from './contract.ts';
import type { Decimal } from './decimal.ts';
import { DAY, HOUR, type Instant } from './instant.ts';
import type { FloorPoint } from './upstream.ts';

/**
 * A fictitious contract that tests a stack from poll to message even if no real price moves. Its
 * address spells "canary", and nobody can deploy a contract there. `canaryFloor` computes its
 * floor, so a poll of the canary never calls a provider.
 */
export const CANARY: ContractKey = 'eth:0x000000000000000000000000000063616e617279';

/** The list that watches the canary. It sends its messages to a queue of the stack. */
export const CANARY_LIST = { tenant: 'floorwatch', id: 'canary' } as const;

/**
 * The longest interval between polls of the canary. With a longer interval, the alarm for missing
 * canary messages could fire although everything works.
 */
export const CANARY_MINUTES = 60;

/** A threshold in ETH that the canary's floor crosses at each midnight UTC. */
export const CANARY_LINE = '1.1';

/**
 * Floors on even and odd days. They differ so little that a change from one to the other is not
 * suspected to be a glitch.
 */
const FLOORS: { readonly even: Decimal; readonly odd: Decimal } = {
  even: 10n ** 18n,
  odd: 12n * 10n ** 17n,
};

/** The floor of the canary. It changes each day, and gets a new observation time each hour. */
export function canaryFloor(now: Instant): FloorPoint {
  const day = Math.floor(now / DAY);
  return {
    time: now - (now % HOUR),
    price: day % 2 === 0 ? FLOORS.even : FLOORS.odd,
    currency: 'eth',
    marketplaces: [],
  };
}
