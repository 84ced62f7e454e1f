/**
 * Stands in the bundles for the SDK's credential provider chain, of which a
 * Lambda ever needs only its first link: the variables of its environment.
 */
export function defaultProvider() {
  return async () => ({
    accessKeyId: required('AWS_ACCESS_KEY_ID'),
    secretAccessKey: required('AWS_SECRET_ACCESS_KEY'),
    sessionToken: required('AWS_SESSION_TOKEN'),
  });
}

function required(name: string): string {
  // biome-ignore lint/style/noProcessEnv: this is the SDK's reading of them, not ours
  const value = process.env[name];
  if (!value) throw new Error(`the environment has no ${name}`);
  return value;
}
