import * as z from 'zod';

/** What a function that handles channels must be told by the stack. */
export const channelVariables = {
  /** Name of the SSM SecureString under which secrets of channels are sealed. */
  CHANNEL_KEY_PARAMETER: z.string().min(1),
  /** Where webhooks are asked: on the internet; or on this very machine alone, for a local stack. */
  WEBHOOK_DESTINATIONS: z.enum(['public', 'loopback-only']),
};
export type WebhookDestinations = z.output<typeof channelVariables.WEBHOOK_DESTINATIONS>;
