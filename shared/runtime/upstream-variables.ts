import * as z from 'zod';
import { JsonText } from '#shared/domain/json-text.ts';
import { Provider } from '#shared/domain/market/provider.ts';
import {
  UpstreamCall,
  type UpstreamLimits,
  UpstreamShares,
} from '#shared/domain/polling/upstream-limits.ts';
import { Positive } from '#shared/domain/positive.ts';

/** Environment variables that say how much of the upstream may be used; shared by all its callers. */
export const upstreamLimitVariables = {
  UPSTREAM_PROVIDER: Provider,
  /** Calls a second, evenly spaced; keep it under the vendor's rate. */
  UPSTREAM_CALLS_PER_SECOND: Positive,
  /** Cost units that may be spent in a UTC hour; `none` where the provider limits no hour. */
  UPSTREAM_BUDGET_PER_HOUR: z.union([z.literal('none').transform(() => undefined), Positive]),
  /** Cost units that may be spent in a UTC day and in a UTC month. */
  UPSTREAM_BUDGET_PER_DAY: Positive,
  UPSTREAM_BUDGET_PER_MONTH: Positive,
  /** What each call costs in the vendor's units, as JSON: `{"floor":50,"lowestprice":1,…}`. */
  UPSTREAM_COSTS: JsonText.pipe(z.record(UpstreamCall, z.int().min(0))),
  /** Percent of all that each user has for itself, as JSON: `{"polling":60,"interface":20}`. */
  UPSTREAM_SHARES: JsonText.pipe(UpstreamShares),
};

/** The limits that those variables tell. */
export function limitsOf(
  variables: z.output<z.ZodObject<typeof upstreamLimitVariables>>,
): UpstreamLimits {
  return {
    provider: variables.UPSTREAM_PROVIDER,
    callsPerSecond: variables.UPSTREAM_CALLS_PER_SECOND,
    budgetPerHour: variables.UPSTREAM_BUDGET_PER_HOUR,
    budgetPerDay: variables.UPSTREAM_BUDGET_PER_DAY,
    budgetPerMonth: variables.UPSTREAM_BUDGET_PER_MONTH,
    costs: variables.UPSTREAM_COSTS,
    shares: variables.UPSTREAM_SHARES,
  };
}

/** Environment variables of everything that calls the upstream. */
export const upstreamVariables = {
  ...upstreamLimitVariables,
  /** Base address of the service, without a path, e.g. `https://deep-index.example.com`. */
  UPSTREAM_URL: z.url({ protocol: /^https?$/ }),
  /** Name of the SSM SecureString that holds the upstream's API key. */
  UPSTREAM_KEY_PARAMETER: z.string().min(1),
};

/** How often every contract is polled when the budget allows it. */
export const cadenceVariables = { POLL_CADENCE_MINUTES: Positive };
