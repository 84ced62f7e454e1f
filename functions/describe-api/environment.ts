import * as z from 'zod';

/** What `describe-api` must be told by the stack. */
export const DescribeApiEnvironment = z.object({ SITE_FILE: z.string().min(1) });
