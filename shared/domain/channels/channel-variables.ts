import * as z from 'zod';

/** What a function that handles channels must be told by the stack. */
export const channelVariables = {
  /** Name of the SSM SecureString under which secrets of channels are sealed. */
  CHANNEL_KEY_PARAMETER: z.string().min(1),
  /** Where webhooks may be: on the internet, or also on this very machine, for a local stack. */
  WEBHOOK_DESTINATIONS: z.enum(['public', 'loopback-too']),
};
export type WebhookDestinations = z.output<typeof channelVariables.WEBHOOK_DESTINATIONS>;
