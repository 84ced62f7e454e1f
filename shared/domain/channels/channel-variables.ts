import * as z from 'zod';

/** The environment of a function that handles channels, as the stack sets it. */
export const channelVariables = {
  /** Where webhooks are asked: on the internet; or on this very machine alone, for a local stack. */
  WEBHOOK_DESTINATIONS: z.enum(['public', 'loopback-only']),
};
export type WebhookDestinations = z.output<typeof channelVariables.WEBHOOK_DESTINATIONS>;
