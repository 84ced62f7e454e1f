import * as z from 'zod';
import { upstreamVariables } from '#shared/domain/polling/upstream-limits.ts';

/** What `run-contracts` must be reported by the stack. */
export const RunContractsEnvironment = z.object({
  /** The stage that its metrics are of. */
  STAGE: z.string().min(1),
  WATCH_TABLE: z.string().min(1),
  CONTRACTS_QUEUE_URL: z.url(),
  LISTS_QUEUE_URL: z.url(),
  ...upstreamVariables,
});
