import type { Stage } from './stages.ts';

/** How often contracts are polled, as the functions' variables. */
export function cadenceVariables(stage: Stage) {
  return { POLL_CADENCE_MINUTES: String(stage.pollCadenceMinutes) };
}

/** How much of the upstream may be used, as the functions' variables. */
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

/** When the upstream's key ends, of one that does. */
export function keyEndVariables({ upstreamKeyEndsAt }: Stage): Readonly<Record<string, string>> {
  return upstreamKeyEndsAt === undefined ? {} : { UPSTREAM_KEY_ENDS_AT: upstreamKeyEndsAt };
}

/** What a function that calls the upstream must know; its key is fetched at run time. */
export function upstreamVariables(stage: Stage) {
  return {
    ...upstreamLimitVariables(stage),
    UPSTREAM_URL: stage.upstreamUrl,
    UPSTREAM_KEY_PARAMETER: stage.upstreamKeyParameter,
  };
}

/** The providers beside the first. */
function otherProvidersVariables({ otherProviders }: Stage) {
  return { OTHER_PROVIDERS: JSON.stringify(otherProviders) };
}

/** What a function that asks the other providers too must know. */
export function allProvidersVariables(stage: Stage) {
  return { ...upstreamVariables(stage), ...otherProvidersVariables(stage) };
}

/** The SecureStrings with the keys of all providers. */
export function keyParametersOf({
  upstreamKeyParameter,
  otherProviders,
}: Stage): readonly string[] {
  return [upstreamKeyParameter, ...otherProviders.map(({ keyParameter }) => keyParameter)];
}
