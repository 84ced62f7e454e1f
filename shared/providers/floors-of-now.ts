import type { Contract } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { type FloorPoint, mapOutcome, type Outcome } from '#shared/domain/market/upstream.ts';
import type { Upstream } from '#shared/use-cases/upstream.ts';
import { observedFloor } from './prices.ts';

/** A provider that has only current floors, but no past floors and no sales. */
export function floorsOfNow(
  floorNow: (
    contract: Contract,
    askedAt: Instant,
    signal: AbortSignal,
  ) => Promise<Outcome<FloorPoint>>,
): Required<Pick<Upstream, 'floorHistory'>> {
  return {
    floorHistory: async (contract, { poll }, signal) => {
      if (poll === undefined) return { kind: 'unsupported', reason: 'retired' };
      return mapOutcome(await floorNow(contract, poll.askedAt, signal), (floor) => ({
        points: [observedFloor(floor, poll.newest)],
        // Earlier floors may be missing.
        isCut: true,
      }));
    },
  };
}
