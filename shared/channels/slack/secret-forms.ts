/** What of an address is secret, on whatever host. */
export const slackSecrets = [/(?<=\/(?:services|workflows|triggers)\/)[\w/%-]+/];
