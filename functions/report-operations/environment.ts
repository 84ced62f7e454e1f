import * as z from 'zod';
import { Positive } from '#shared/domain/positive.ts';
import { crossOriginVariables } from '#shared/http/cross-origin.ts';
import {
  cadenceVariables,
  keyEndVariables,
  otherProvidersVariables,
  upstreamLimitVariables,
} from '#shared/runtime/upstream-variables.ts';

/** The environment variables of `report-operations`, set by the stack. */
export const ReportOperationsEnvironment = z.object({
  WATCH_TABLE: z.string().min(1),
  CONTRACTS_QUEUE_URL: z.url(),
  LISTS_QUEUE_URL: z.url(),
  CHANNELS_QUEUE_URL: z.url(),
  CONTRACTS_DEAD_LETTERS_URL: z.url(),
  LISTS_DEAD_LETTERS_URL: z.url(),
  CHANNELS_DEAD_LETTERS_URL: z.url(),
  MISSED_TICKS_URL: z.url(),
  ...cadenceVariables,
  ...upstreamLimitVariables,
  ...otherProvidersVariables,
  ...keyEndVariables,
  API_UNITS_PER_MINUTE: Positive,
  ...crossOriginVariables,
});
