import * as z from 'zod';

/** The environment variables of `act-on-alert`, set by the stack. */
export const ActOnAlertEnvironment = z.object({
  WATCH_TABLE: z.string().min(1),
  LISTS_QUEUE_URL: z.url(),
  /** The name of the SSM SecureString with the key that signs links in messages. */
  LINK_KEY_PARAMETER: z.string().min(1),
});
