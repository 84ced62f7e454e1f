/** The key of an integration: nothing but its length distinguishes it. */
export const pagerdutySecrets = [/(?<![\w-])[A-Za-z0-9]{32}(?![\w-])/];
