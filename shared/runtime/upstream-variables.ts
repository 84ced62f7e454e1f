import * as z from 'zod';
import { JsonText } from '#shared/domain/json-text.ts';
import { UpstreamCall } from '#shared/domain/market/operations.ts';
import { canConfirm, MainProvider, Provider } from '#shared/domain/market/provider.ts';
import { type UpstreamLimits, UpstreamShares } from '#shared/domain/polling/upstream-limits.ts';
import { Positive } from '#shared/domain/positive.ts';

/** Environment variables that say how much of the upstream may be used; shared by all its callers. */
export const upstreamLimitVariables = {
  UPSTREAM_PROVIDER: MainProvider,
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

/** Base address of a service, without a path, e.g. `https://deep-index.example.com`. */
const BaseUrl = z.url({ protocol: /^https?$/ });
/** Name of the SSM SecureString that holds a provider's API key. */
const KeyParameter = z.string().min(1);

/** A provider beside the first: where it is reached, with which key, and how much of it may be used. */
export const OtherProvider = z.strictObject({
  provider: Provider,
  url: BaseUrl,
  keyParameter: KeyParameter,
  callsPerSecond: z.int().positive(),
  budgetPerHour: z.int().positive().optional(),
  budgetPerDay: z.int().positive(),
  budgetPerMonth: z.int().positive(),
  costs: z.record(UpstreamCall, z.int().min(0)),
});

/** Environment variables of everything that calls the upstream. */
export const upstreamVariables = {
  ...upstreamLimitVariables,
  UPSTREAM_URL: BaseUrl,
  UPSTREAM_KEY_PARAMETER: KeyParameter,
};

/** The environment variable that names the providers beside the first. */
export const otherProvidersVariables = {
  /** In the order in which they are asked, as JSON. */
  OTHER_PROVIDERS: JsonText.pipe(z.array(OtherProvider)),
};

/** Environment variables of everything that asks other providers too. */
export const allProvidersVariables = { ...upstreamVariables, ...otherProvidersVariables };

/** A provider as a stack is deployed with it. */
export type ConfiguredProvider = {
  readonly url: string;
  readonly keyParameter: string;
  readonly limits: UpstreamLimits;
};

/** The providers beside the first that those variables name. */
export function othersOf({
  UPSTREAM_SHARES: shares,
  OTHER_PROVIDERS: others,
}: z.output<
  z.ZodObject<
    Pick<typeof upstreamLimitVariables, 'UPSTREAM_SHARES'> & typeof otherProvidersVariables
  >
>) {
  return others.map(({ url, keyParameter, ...limits }) => ({
    ...{ url, keyParameter },
    limits: { ...limits, shares } satisfies UpstreamLimits,
  }));
}

/** The configured providers, the main one first. */
export function providersOf(
  variables: z.output<z.ZodObject<typeof allProvidersVariables>>,
): readonly [ConfiguredProvider, ...ConfiguredProvider[]] {
  const { UPSTREAM_URL: url, UPSTREAM_KEY_PARAMETER: keyParameter } = variables;
  return [{ url, keyParameter, limits: limitsOf(variables) }, ...othersOf(variables)];
}

/** Whether one of the providers has floors of another origin than the first. */
export function hasSecondSource({
  UPSTREAM_PROVIDER: first,
  OTHER_PROVIDERS: others,
}: z.output<
  z.ZodObject<
    Pick<typeof upstreamLimitVariables, 'UPSTREAM_PROVIDER'> & typeof otherProvidersVariables
  >
>): boolean {
  return canConfirm(
    first,
    others.map(({ provider }) => provider),
  );
}

/** The environment variable that says when the key of the first provider ends; absent for one that does not. */
export const keyEndVariables = {
  UPSTREAM_KEY_ENDS_AT: z.iso.datetime().transform(Date.parse).optional(),
};

/** How often every contract is polled when the budget allows it. */
export const cadenceVariables = { POLL_CADENCE_MINUTES: Positive };
