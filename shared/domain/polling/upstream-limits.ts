import * as z from 'zod';
import { JsonText } from '#shared/domain/json-text.ts';

/** The calls that the upstream counts, each with a price of its own. */
export const UpstreamCall = z.enum(['floor', 'lowestprice', 'price', 'traits']);
export type UpstreamCall = z.output<typeof UpstreamCall>;

/** How much of the upstream may be used, all callers of a stack together. */
export type UpstreamLimits = {
  readonly callsPerSecond: number;
  readonly budgetPerDay: number;
  readonly budgetPerMonth: number;
  /** What a call costs, in the units of the budgets. */
  readonly costs: Readonly<Record<UpstreamCall, number>>;
};

const WholeNumber = z
  .string()
  .regex(/^\d{1,12}$/, 'expected a whole number')
  .transform(Number);
const Positive = WholeNumber.refine((value) => value > 0, 'expected a number above zero');

/** Environment variables that say how much of the upstream may be used; shared by all its callers. */
export const upstreamLimitVariables = {
  /** Calls a second, evenly spaced; keep it under the vendor's rate. */
  UPSTREAM_CALLS_PER_SECOND: Positive,
  /** Cost units that may be spent in a UTC day and in a UTC month. */
  UPSTREAM_BUDGET_PER_DAY: Positive,
  UPSTREAM_BUDGET_PER_MONTH: Positive,
  /** What each call costs in the vendor's units, as JSON: `{"floor":50,"lowestprice":1,…}`. */
  UPSTREAM_COSTS: JsonText.pipe(z.record(UpstreamCall, z.int().min(0))),
};

const LimitVariables = z.object(upstreamLimitVariables);

/** The limits that those variables tell. */
export function limitsOf(variables: z.output<typeof LimitVariables>): UpstreamLimits {
  return {
    callsPerSecond: variables.UPSTREAM_CALLS_PER_SECOND,
    budgetPerDay: variables.UPSTREAM_BUDGET_PER_DAY,
    budgetPerMonth: variables.UPSTREAM_BUDGET_PER_MONTH,
    costs: variables.UPSTREAM_COSTS,
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
