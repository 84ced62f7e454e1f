/** The workflow, its trigger and the signature, on whatever host. */
export const teamsSecrets = [/(?<=\/workflows\/)[\w/?&=.%~-]+/];
