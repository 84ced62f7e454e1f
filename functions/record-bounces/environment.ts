import * as z from 'zod';

/** The environment variables of `record-bounces`, set by the stack. */
export const RecordBouncesEnvironment = z.object({
  /** The stage, which is the dimension of the metrics. */
  STAGE: z.string().min(1),
  WATCH_TABLE: z.string().min(1),
});
