import * as z from 'zod';

/** Where webhooks are asked: on the internet; or on this very machine alone, for a local stack. */
export const WebhookDestinations = z.enum(['public', 'loopback-only']);
export type WebhookDestinations = z.output<typeof WebhookDestinations>;
