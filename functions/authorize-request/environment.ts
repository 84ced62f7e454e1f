import * as z from 'zod';

/** What `authorize-request` must be reported by the stack. */
export const AuthorizeRequestEnvironment = z.object({
  WATCH_TABLE: z.string().min(1),
});
