import * as z from 'zod';
import { crossOriginVariables } from '#shared/http/cross-origin.ts';

/** The environment variables of `describe-api`, set by the stack. */
export const DescribeApiEnvironment = z.object({
  SITE_FOLDER: z.string().min(1),
  ...crossOriginVariables,
});
