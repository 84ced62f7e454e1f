/** The secret part of a webhook's URL, on any host. */
export const slackSecrets = [/(?<=\/(?:services|workflows|triggers)\/)[\w/%-]+/];
