/** What of an address is secret, on whatever host. */
export const discordSecrets = [/(?<=\/webhooks\/)[\w/%.-]+/];
