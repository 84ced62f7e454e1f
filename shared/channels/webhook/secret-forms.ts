/** Signing secrets. */
export const webhookSecrets = [/whsec_[\w+/=-]+/];
