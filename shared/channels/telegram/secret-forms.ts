/** The token of a bot, on whatever host and by itself. */
export const telegramSecrets = [/(?<=\bbot)\d{1,20}:[\w-]+/, /\b\d{6,20}:[\w-]{30,}/];
