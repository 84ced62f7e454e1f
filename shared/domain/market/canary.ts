import type { ContractKey } from './contract.ts';
import type { Decimal } from './decimal.ts';
import { DAY, HOUR, type Instant } from './instant.ts';
import type { FloorPoint } from './upstream.ts';

/**
 * A contract that nobody can deploy (its address spells "canary") and no provider is asked about: its
 * floor is known. It proves a stack from poll to message where no real price moves.
 */
export const CANARY: ContractKey = 'eth:0x000000000000000000000000000063616e617279';

/** The list that watches it, whose messages come back to the stack. */
export const CANARY_LIST = { tenant: 'floorwatch', id: 'canary' } as const;

/** It is polled so often at least, or its messages would come further apart than an alarm waits. */
export const CANARY_MINUTES = 60;

/** What its floor crosses at midnight UTC, in ETH. */
export const CANARY_LINE = '1.1';

/** Near enough to each other that neither is taken for a mistake after the other. */
const FLOORS: { readonly even: Decimal; readonly odd: Decimal } = {
  even: 10n ** 18n,
  odd: 12n * 10n ** 17n,
};

/** The floor of the canary: another each day, and observed anew each hour, as a market is. */
export function canaryFloor(now: Instant): FloorPoint {
  const day = Math.floor(now / DAY);
  return {
    time: now - (now % HOUR),
    price: day % 2 === 0 ? FLOORS.even : FLOORS.odd,
    currency: 'eth',
    marketplaces: [],
  };
}
