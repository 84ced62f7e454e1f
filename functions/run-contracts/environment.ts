import * as z from 'zod';
import { operatorVariables } from '#shared/runtime/operator-variables.ts';

/** The environment variables of `run-contracts`, set by the stack. */
export const RunContractsEnvironment = z.object({
  /** The stage, which is the dimension of the metrics. */
  STAGE: z.string().min(1),
  WATCH_TABLE: z.string().min(1),
  CONTRACTS_QUEUE_URL: z.url(),
  CHANNELS_QUEUE_URL: z.url(),
  ...operatorVariables,
});
