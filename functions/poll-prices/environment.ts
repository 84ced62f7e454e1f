import * as z from 'zod';
import {
  allProvidersVariables,
  cadenceVariables,
  keyEndVariables,
} from '#shared/runtime/upstream-variables.ts';

/** The environment variables of `poll-prices`, set by the stack. */
export const PollPricesEnvironment = z.object({
  /** The stage, which is the dimension of the metrics. */
  STAGE: z.string().min(1),
  WATCH_TABLE: z.string().min(1),
  CONTRACTS_QUEUE_URL: z.url(),
  ...cadenceVariables,
  ...allProvidersVariables,
  ...keyEndVariables,
});
