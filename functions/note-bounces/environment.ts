import * as z from 'zod';

/** The environment variables of `note-bounces`, set by the stack. */
export const NoteBouncesEnvironment = z.object({
  /** The stage, the dimension of the metrics. */
  STAGE: z.string().min(1),
  WATCH_TABLE: z.string().min(1),
});
