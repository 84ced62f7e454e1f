import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import { drawFaults, type FaultRates } from '#test/simulation/services/faults.ts';
import {
  drawSecondProvider,
  type SecondProviderPlan,
} from '#test/simulation/services/second-provider.ts';
import type { Streams } from '#test/simulation/services/streams.ts';
import { evenCosts } from '#test/support/even-costs.ts';

/** What a seed stands for, before anything happens. */
export type Expansion = {
  readonly faults: FaultRates;
  readonly cadenceMinutes: number;
  readonly limits: UpstreamLimits;
  /** Between two actions of a person, as a rule. */
  readonly pauseMinutes: number;
  /** Between two evaluations of the operators at the dead letters. */
  readonly redriveMinutes: number;
  /** Some seeds stand still for longer than a day. */
  readonly outage: { readonly afterMinutes: number; readonly hours: number } | undefined;
  /** Whether a tenant watches more than its share of the budget pays for. */
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
      // The least is spent long before the day is over.
      budgetPerDay: stream.pick([100_000, 100_000, 100_000, 100_000, 250, 250, 60]),
      budgetPerMonth: 3_000_000,
      // It counts volume and sales.
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
  // While the budget of the first is spent it is not polled: what the second does then is not modelled.
  if (drawn.second !== undefined) drawn.limits.budgetPerDay = 100_000;
  // Whose budget carries what the others watch; an outage of a day would leave them less of it.
  return stream.happens(0.1)
    ? {
        ...{ ...drawn, isGreedy: true, cadenceMinutes: 5, outage: undefined },
        limits: { ...drawn.limits, budgetPerDay: 4000 },
      }
    : { ...drawn, isGreedy: false };
}
