import * as z from 'zod';
import { JsonText } from '#shared/domain/json-text.ts';
import { UpstreamCall } from '#shared/domain/market/operations.ts';
import { canConfirm, MainProvider, Provider } from '#shared/domain/market/provider.ts';
import { type UpstreamLimits, UpstreamShares } from '#shared/domain/polling/upstream-limits.ts';
import { Positive } from '#shared/domain/positive.ts';

/** The environment variables with the limits of the upstream, shared by all its callers. */
export const upstreamLimitVariables = {
  UPSTREAM_PROVIDER: MainProvider,
  /** Calls per second, evenly spaced. Must be below the provider's rate limit. */
  UPSTREAM_CALLS_PER_SECOND: Positive,
  /** Cost units for a UTC hour; `none` if the provider has no hourly limit. */
  UPSTREAM_BUDGET_PER_HOUR: z.union([z.literal('none').transform(() => undefined), Positive]),
  /** Cost units for a UTC day and a UTC month. */
  UPSTREAM_BUDGET_PER_DAY: Positive,
  UPSTREAM_BUDGET_PER_MONTH: Positive,
  /** The cost of each call in the provider's units, as JSON: `{"floor":50,"lowestprice":1,…}`. */
  UPSTREAM_COSTS: JsonText.pipe(z.record(UpstreamCall, z.int().min(0))),
  /** The guaranteed share of each user in percent, as JSON: `{"polling":60,"interface":20}`. */
  UPSTREAM_SHARES: JsonText.pipe(UpstreamShares),
};

/** Reads the limits of the main provider from the variables. */
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

/** The base URL of a service without a path, e.g. `https://deep-index.example.com`. */
const BaseUrl = z.url({ protocol: /^https?$/ });
/** The name of the SSM SecureString with a provider's API key. */
const KeyParameter = z.string().min(1);

/** An additional provider: its URL, its key and its limits. */
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

/** The environment variables of functions that call the upstream. */
export const upstreamVariables = {
  ...upstreamLimitVariables,
  UPSTREAM_URL: BaseUrl,
  UPSTREAM_KEY_PARAMETER: KeyParameter,
};

/** The environment variable with the additional providers. */
export const otherProvidersVariables = {
  /** JSON, in the order of the calls. */
  OTHER_PROVIDERS: JsonText.pipe(z.array(OtherProvider)),
};

/** The environment variables of functions that call all providers. */
export const allProvidersVariables = { ...upstreamVariables, ...otherProvidersVariables };

/** A provider in the configuration of a stack. */
export type ConfiguredProvider = {
  readonly url: string;
  readonly keyParameter: string;
  readonly limits: UpstreamLimits;
};

/** Reads the additional providers from the variables. */
export function otherProviders({
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
  return [{ url, keyParameter, limits: limitsOf(variables) }, ...otherProviders(variables)];
}

/**
 * Whether a provider can confirm the floors of the main provider, which requires data of another
 * origin.
 */
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

/**
 * The environment variable with the expiry of the first provider's key; absent if the key does not
 * expire.
 */
export const keyEndVariables = {
  UPSTREAM_KEY_ENDS_AT: z.iso.datetime().transform(Date.parse).optional(),
};

/** The poll interval of every contract if the budget allows it. */
export const cadenceVariables = { POLL_CADENCE_MINUTES: Positive };
