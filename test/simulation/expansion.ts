import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import { drawFaults, type FaultRates } from '#test/simulation/services/faults.ts';
import {
  drawSecondProvider,
  type SecondProviderPlan,
} from '#test/simulation/services/second-provider.ts';
import type { Streams } from '#test/simulation/services/streams.ts';
import { evenCosts } from '#test/support/even-costs.ts';

/** The parameters of a run, drawn from its seed. */
export type Expansion = {
  readonly faults: FaultRates;
  readonly cadenceMinutes: number;
  readonly limits: UpstreamLimits;
  /** Typical pause between two actions of a person. */
  readonly pauseMinutes: number;
  /** Interval between two redrives of the dead letters. */
  readonly redriveMinutes: number;
  /** Some seeds have an outage of more than a day. */
  readonly outage: { readonly afterMinutes: number; readonly hours: number } | undefined;
  /** Whether a tenant watches more contracts than its share of the budget can poll. */
  readonly isGreedy: boolean;
  readonly second: SecondProviderPlan | undefined;
};

export function expand({
  expansion: stream,
  second,
}: Pick<Streams, 'expansion' | 'second'>): Expansion {
  const drawn = {
    second: drawSecondProvider(second),
    faults: drawFaults(stream),
    cadenceMinutes: stream.pick([1, 2, 5]),
    limits: {
      callsPerSecond: stream.pick([1, 5, 50]),
      // The smallest budgets are used up long before the end of the day.
      budgetPerDay: stream.pick([100_000, 100_000, 100_000, 100_000, 250, 250, 60]),
      budgetPerMonth: 3_000_000,
      // OpenSea also reports volume and sales.
      provider: 'opensea' as const,
      costs: evenCosts(1),
      shares: { polling: 60, interface: 20 },
    },
    pauseMinutes: stream.pick([3, 10, 40]),
    redriveMinutes: stream.pick([4, 8, 30]),
    outage: stream.happens(0.15)
      ? { afterMinutes: stream.between(10, 30), hours: stream.between(26, 47) }
      : undefined,
  };
  // After its budget is used up, the first provider is not polled, and the model does not cover a
  // second provider that is polled alone.
  if (drawn.second !== undefined) drawn.limits.budgetPerDay = 100_000;
  // The budget of a greedy seed covers the polls of the other tenants. After an outage of a day,
  // the budget would not suffice for these polls.
  return stream.happens(0.1)
    ? {
        ...{ ...drawn, isGreedy: true, cadenceMinutes: 5, outage: undefined },
        limits: { ...drawn.limits, budgetPerDay: 4000 },
      }
    : { ...drawn, isGreedy: false };
}
