/** The workflow, its trigger and the signature, on any host. */
export const teamsSecrets = [/(?<=\/workflows\/)[\w/?&=.%~-]+/];
