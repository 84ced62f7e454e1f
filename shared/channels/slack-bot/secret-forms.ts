/** A token, wherever it stands. */
export const slackBotSecrets = [/\bxox[a-z]-[\w-]+/];
