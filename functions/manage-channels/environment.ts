import * as z from 'zod';
import { Positive } from '#shared/domain/positive.ts';
import { crossOriginVariables } from '#shared/http/cross-origin.ts';

/** The environment variables of `manage-channels`, set by the stack. */
export const ManageChannelsEnvironment = z.object({
  WATCH_TABLE: z.string().min(1),
  CHANNELS_QUEUE_URL: z.url(),
  /** The operators' topic; the ARNs of the lists' topics are derived from it. */
  STACK_TOPIC_ARN: z.string().min(1),
  /** The prefix of topics created at run time, e.g. `floorwatch-prod-`. */
  TOPIC_PREFIX: z.string().min(1),
  API_UNITS_PER_MINUTE: Positive,
  ...crossOriginVariables,
});
