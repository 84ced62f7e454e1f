import * as z from 'zod';
import { allProvidersVariables } from '#shared/runtime/upstream-variables.ts';

/** The environment variables of `run-contracts`, set by the stack. */
export const RunContractsEnvironment = z.object({
  /** The stage, the dimension of the metrics. */
  STAGE: z.string().min(1),
  WATCH_TABLE: z.string().min(1),
  CONTRACTS_QUEUE_URL: z.url(),
  LISTS_QUEUE_URL: z.url(),
  ...allProvidersVariables,
});
