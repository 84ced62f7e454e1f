import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import { drawFaults, type FaultRates } from '#test/simulation/services/faults.ts';
import type { Stream } from '#test/simulation/services/streams.ts';

/** What a seed stands for, before anything happens. */
export type Expansion = {
  readonly faults: FaultRates;
  readonly cadenceMinutes: number;
  readonly limits: UpstreamLimits;
  /** Between two deeds of a person, as a rule. */
  readonly pauseMinutes: number;
  /** Between two looks of the operators at the dead letters. */
  readonly redriveMinutes: number;
};

export function expand(stream: Stream): Expansion {
  return {
    faults: drawFaults(stream),
    cadenceMinutes: stream.pick([1, 2, 5]),
    limits: {
      callsPerSecond: stream.pick([1, 5, 50]),
      budgetPerDay: stream.pick([100_000, 100_000, 250]),
      budgetPerMonth: 3_000_000,
      costs: { floor: 1, lowestprice: 1, price: 1, traits: 1 },
      shares: { polling: 60, interface: 20 },
    },
    pauseMinutes: stream.pick([3, 10, 40]),
    redriveMinutes: stream.pick([4, 8, 30]),
  };
}
