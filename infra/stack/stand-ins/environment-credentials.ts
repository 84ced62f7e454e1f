/**
 * Replaces the SDK's chain of credential providers in the bundles. Lambda needs only its first
 * link, the environment variables.
 */
export function defaultProvider() {
  return async () => {
    // biome-ignore lint/style/noProcessEnv: this code replaces code of the SDK
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
    if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
      throw new Error('the environment has no AWS_ACCESS_KEY_ID or no AWS_SECRET_ACCESS_KEY');
    }
    return {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
    };
  };
}
