import * as z from 'zod';
import { crossOriginVariables } from '#shared/http/cross-origin.ts';

/** The environment variables of `serve-pages`, set by the stack. */
export const ServePagesEnvironment = z.object({
  SITE_FOLDER: z.string().min(1),
  ...crossOriginVariables,
});
