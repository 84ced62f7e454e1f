import * as z from 'zod';

/** The environment variables of `wake-work`, set by the stack. */
export const WakeWorkEnvironment = z.object({
  /** The stage, which is the dimension of the metrics. */
  STAGE: z.string().min(1),
  WATCH_TABLE: z.string().min(1),
  LISTS_QUEUE_URL: z.url(),
  CHANNELS_QUEUE_URL: z.url(),
});
