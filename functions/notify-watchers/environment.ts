import * as z from 'zod';
import { cadenceVariables, upstreamVariables } from '#shared/runtime/upstream-variables.ts';

/** The environment variables of `notify-watchers`, set by the stack. */
export const NotifyWatchersEnvironment = z.object({
  /** The stage, the dimension of the metrics. */
  STAGE: z.string().min(1),
  WATCH_TABLE: z.string().min(1),
  CONTRACTS_QUEUE_URL: z.url(),
  CHANNELS_QUEUE_URL: z.url(),
  /** The operators' topic, which gets every alert of the stack. */
  STACK_TOPIC_ARN: z.string().min(1),
  /** Names of the topics made at run time begin with this, e.g. `floorwatch-prod-`. */
  TOPIC_PREFIX: z.string().min(1),
  /** Whether the stack has a Slack webhook that gets every alert. */
  STACK_SLACK: z.enum(['on', 'off']),
  ...cadenceVariables,
  ...upstreamVariables,
});
