/**
 * Replaces endpoint discovery in the bundles. DynamoDB's client is configured for it, but none of
 * its commands uses it; bundling a command that did would fail, because its plugin is not exported
 * here.
 */
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: () => undefined,
  configFileSelector: () => undefined,
  default: undefined,
};

/** Returns the configuration unchanged. */
export function resolveEndpointDiscoveryConfig<Config>(config: Config): Config {
  return config;
}
