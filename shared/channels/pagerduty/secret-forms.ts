/** Integration keys can be recognized only by their length. */
export const pagerdutySecrets = [/(?<![\w-])[A-Za-z0-9]{32}(?![\w-])/];
