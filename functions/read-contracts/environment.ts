import * as z from 'zod';
import { WebhookDestinations } from '#shared/domain/channels/webhook-destinations.ts';
import { Positive } from '#shared/domain/positive.ts';
import { crossOriginVariables } from '#shared/http/cross-origin.ts';
import { allProvidersVariables, cadenceVariables } from '#shared/runtime/upstream-variables.ts';

/** The environment variables of `read-contracts`, set by the stack. */
export const ReadContractsEnvironment = z.object({
  WATCH_TABLE: z.string().min(1),
  ...cadenceVariables,
  ...allProvidersVariables,
  API_UNITS_PER_MINUTE: Positive,
  /** Where pictures of collections are read. */
  WEBHOOK_DESTINATIONS: WebhookDestinations,
  ...crossOriginVariables,
});
