/**
 * Replaces endpoint discovery in the bundles. DynamoDB's client is configured for it, but no
 * bundled command uses it. A command that uses it could not be bundled, because this module does
 * not export the plugin.
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
