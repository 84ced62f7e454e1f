/** A token anywhere in a text. */
export const slackBotSecrets = [/\bxox[a-z]-[\w-]+/];
