import * as z from 'zod';
import { WebhookDestinations } from '#shared/domain/channels/webhook-destinations.ts';
import { JsonText } from '#shared/domain/json-text.ts';
import { Positive } from '#shared/domain/positive.ts';
import { crossOriginVariables } from '#shared/http/cross-origin.ts';
import {
  allProvidersVariables,
  cadenceVariables,
  keyEndVariables,
} from '#shared/runtime/upstream-variables.ts';

/** The environment variables of `serve-api`, set by the stack. */
export const ServeApiEnvironment = z.object({
  WATCH_TABLE: z.string().min(1),
  CONTRACTS_QUEUE_URL: z.url(),
  LISTS_QUEUE_URL: z.url(),
  CHANNELS_QUEUE_URL: z.url(),
  CONTRACTS_DEAD_LETTERS_URL: z.url(),
  LISTS_DEAD_LETTERS_URL: z.url(),
  CHANNELS_DEAD_LETTERS_URL: z.url(),
  MISSED_TICKS_URL: z.url(),
  /**
   * Name of the SSM SecureString with the public key, which seals channel secrets but cannot open
   * them.
   */
  CHANNEL_PUBLIC_KEY_PARAMETER: z.string().min(1),
  /** Name of the SSM SecureString with the public key for Web Push subscriptions of browsers. */
  PUSH_PUBLIC_KEY_PARAMETER: z.string().min(1),
  /** Allowed destinations of webhooks, and of requests for pictures of collections. */
  WEBHOOK_DESTINATIONS: WebhookDestinations,
  /** The ports that webhooks may use, as JSON: `[443,8443]`. */
  WEBHOOK_PORTS: JsonText.pipe(z.array(z.int())),
  ...cadenceVariables,
  ...allProvidersVariables,
  ...keyEndVariables,
  API_UNITS_PER_MINUTE: Positive,
  NFT_DATA_UNITS_PER_MINUTE: Positive,
  ...crossOriginVariables,
});
export type ServeApiEnvironment = z.output<typeof ServeApiEnvironment>;
