/**
 * Stands in the bundles for the discovery of endpoints. DynamoDB's client is configured for it and
 * has no command that uses it; a command that did would not be bundled, for want of its plugin.
 */
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: () => undefined,
  configFileSelector: () => undefined,
  default: undefined,
};

/** Leaves the client as it is. */
export function resolveEndpointDiscoveryConfig<Config>(config: Config): Config {
  return config;
}
