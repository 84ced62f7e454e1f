import * as z from 'zod';

/** What a function that handles channels must be told by the stack. */
export const channelVariables = {
  /** Where webhooks are asked: on the internet; or on this very machine alone, for a local stack. */
  WEBHOOK_DESTINATIONS: z.enum(['public', 'loopback-only']),
};
export type WebhookDestinations = z.output<typeof channelVariables.WEBHOOK_DESTINATIONS>;
