import * as z from 'zod';
import {
  cadenceVariables,
  keyEndVariables,
  otherProvidersVariables,
  upstreamLimitVariables,
} from '#shared/runtime/upstream-variables.ts';

/** The environment variables of `dispatch-work`, set by the stack. */
export const DispatchWorkEnvironment = z.object({
  /** The stage, the dimension of the metrics. */
  STAGE: z.string().min(1),
  WATCH_TABLE: z.string().min(1),
  CONTRACTS_QUEUE_URL: z.url(),
  LISTS_QUEUE_URL: z.url(),
  CHANNELS_QUEUE_URL: z.url(),
  ...cadenceVariables,
  ...upstreamLimitVariables,
  ...otherProvidersVariables,
  ...keyEndVariables,
});
