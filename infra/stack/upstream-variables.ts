import type { Stage } from './stages.ts';

/** The poll cadence as environment variables. */
export function cadenceVariables(stage: Stage) {
  return { POLL_CADENCE_MINUTES: String(stage.pollCadenceMinutes) };
}

/** The limits of the upstream as environment variables. */
function upstreamLimitVariables(stage: Stage) {
  return {
    UPSTREAM_PROVIDER: stage.upstreamProvider,
    UPSTREAM_CALLS_PER_SECOND: String(stage.upstreamCallsPerSecond),
    UPSTREAM_BUDGET_PER_HOUR: String(stage.upstreamBudgetPerHour ?? 'none'),
    UPSTREAM_BUDGET_PER_DAY: String(stage.upstreamBudgetPerDay),
    UPSTREAM_BUDGET_PER_MONTH: String(stage.upstreamBudgetPerMonth),
    UPSTREAM_COSTS: JSON.stringify(stage.upstreamCosts),
    UPSTREAM_SHARES: JSON.stringify(stage.upstreamShares),
  };
}

/**
 * The expiry time of the upstream's key as an environment variable; no variable if the key does not
 * expire.
 */
export function keyEndVariables({ upstreamKeyEndsAt }: Stage): Readonly<Record<string, string>> {
  return upstreamKeyEndsAt === undefined ? {} : { UPSTREAM_KEY_ENDS_AT: upstreamKeyEndsAt };
}

/** The variables of a function that calls the upstream; it fetches the key at run time. */
export function upstreamVariables(stage: Stage) {
  return {
    ...upstreamLimitVariables(stage),
    UPSTREAM_URL: stage.upstreamUrl,
    UPSTREAM_KEY_PARAMETER: stage.upstreamKeyParameter,
  };
}

/** The other providers as environment variables. */
function otherProvidersVariables({ otherProviders }: Stage) {
  return { OTHER_PROVIDERS: JSON.stringify(otherProviders) };
}

/** The variables of a function that calls all providers. */
export function allProvidersVariables(stage: Stage) {
  return { ...upstreamVariables(stage), ...otherProvidersVariables(stage) };
}

/** The names of the SecureStrings with the keys of all providers. */
export function keyParametersOf({
  upstreamKeyParameter,
  otherProviders,
}: Stage): readonly string[] {
  return [upstreamKeyParameter, ...otherProviders.map(({ keyParameter }) => keyParameter)];
}
