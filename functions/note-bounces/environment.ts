import * as z from 'zod';

/** The environment variables of `note-bounces`, set by the stack. */
export const NoteBouncesEnvironment = z.object({ WATCH_TABLE: z.string().min(1) });
