import { UpstreamCall } from '#shared/domain/market/operations.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';

/** Costs at which each call takes the same number of units. */
export function evenCosts(units: number): UpstreamLimits['costs'] {
  return Object.fromEntries(
    UpstreamCall.options.map((call) => [call, units]),
  ) as UpstreamLimits['costs'];
}
