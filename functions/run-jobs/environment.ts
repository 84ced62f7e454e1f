import * as z from 'zod';
import { DAY, MINUTE } from '#shared/domain/market/instant.ts';
import { Positive } from '#shared/domain/positive.ts';
import { operatorVariables } from '#shared/runtime/operator-variables.ts';
import { cadenceVariables, upstreamVariables } from '#shared/runtime/upstream-variables.ts';

/** The environment variables of `run-jobs`, set by the stack. */
export const RunJobsEnvironment = z.object({
  /** The stage, which is the dimension of the metrics. */
  STAGE: z.string().min(1),
  WATCH_TABLE: z.string().min(1),
  CONTRACTS_QUEUE_URL: z.url(),
  CHANNELS_QUEUE_URL: z.url(),
  /** The operators' topic. */
  STACK_TOPIC_ARN: z.string().min(1),
  /** The prefix of topics created at run time, e.g. `floorwatch-prod-`. */
  TOPIC_PREFIX: z.string().min(1),
  /** The ARN of the queue to which SNS moves undeliverable messages of lists. */
  UNDELIVERED_QUEUE_ARN: z.string().min(1),
  ...operatorVariables,
  /** Minutes between two reads of a wallet. Only the simulation sets it. */
  WALLET_INTERVAL_MINUTES: Positive.default(DAY / MINUTE),
  ...cadenceVariables,
  ...upstreamVariables,
});
