import * as z from 'zod';

/** The environment variables of `authorize-request`, set by the stack. */
export const AuthorizeRequestEnvironment = z.object({
  WATCH_TABLE: z.string().min(1),
});
