import * as z from 'zod';

/**
 * The allowed webhook addresses: public addresses, or for a local stack only the loopback address.
 */
export const WebhookDestinations = z.enum(['public', 'loopback-only']);
export type WebhookDestinations = z.output<typeof WebhookDestinations>;
