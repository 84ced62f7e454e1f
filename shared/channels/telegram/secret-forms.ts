/** The token of a bot, in a URL of any host or on its own. */
export const telegramSecrets = [/(?<=\bbot)\d{1,20}:[\w-]+/, /\b\d{6,20}:[\w-]{30,}/];
