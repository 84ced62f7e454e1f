import * as z from 'zod';
import { Positive } from '#shared/domain/positive.ts';
import { crossOriginVariables } from '#shared/http/cross-origin.ts';

/** The environment variables of `manage-keys`, set by the stack. */
export const ManageKeysEnvironment = z.object({
  WATCH_TABLE: z.string().min(1),
  API_UNITS_PER_MINUTE: Positive,
  ...crossOriginVariables,
});
