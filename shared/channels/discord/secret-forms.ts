/** The secret part of a webhook's URL, on any host. */
export const discordSecrets = [/(?<=\/webhooks\/)[\w/%.-]+/];
