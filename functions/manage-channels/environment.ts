import * as z from 'zod';
import { Positive } from '#shared/domain/positive.ts';
import { crossOriginVariables } from '#shared/http/cross-origin.ts';

/** What `manage-channels` must be reported by the stack. */
export const ManageChannelsEnvironment = z.object({
  WATCH_TABLE: z.string().min(1),
  CHANNELS_QUEUE_URL: z.url(),
  /** The operators' topic, beside which those of the lists are. */
  STACK_TOPIC_ARN: z.string().min(1),
  /** Names of the topics made at run time begin with this, e.g. `floorwatch-prod-`. */
  TOPIC_PREFIX: z.string().min(1),
  API_UNITS_PER_MINUTE: Positive,
  ...crossOriginVariables,
});
