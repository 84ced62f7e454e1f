import * as z from 'zod';
import { ChatOrigins } from '#shared/channels/chat-origins.ts';
import { WebhookDestinations } from '#shared/domain/channels/webhook-destinations.ts';
import { JsonText } from '#shared/domain/json-text.ts';

/** The environment variables of `deliver-messages`, set by the stack. */
export const DeliverMessagesEnvironment = z.object({
  /** The stage, the dimension of the metrics. */
  STAGE: z.string().min(1),
  WATCH_TABLE: z.string().min(1),
  CHANNELS_QUEUE_URL: z.url(),
  /** The operators' topic. */
  STACK_TOPIC_ARN: z.string().min(1),
  /** Names of the topics made at run time begin with this, e.g. `floorwatch-prod-`. */
  TOPIC_PREFIX: z.string().min(1),
  /** Name of the SSM SecureString that holds the stack's Slack webhook; absent when it has none. */
  SLACK_WEBHOOK_PARAMETER: z.string().min(1).optional(),
  /** The address that emails come from by SES, and what becomes of its reports; absent without. */
  EMAIL_SENDER: z.email().optional(),
  EMAIL_CONFIGURATION_SET: z.string().min(1).optional(),
  /** Where chats are reached instead of at their services, as JSON: `{"slack":"http://…"}`. */
  CHAT_ORIGINS: JsonText.pipe(ChatOrigins),
  /** Name of the SSM SecureString with the key that opens secrets of channels. */
  CHANNEL_KEY_PARAMETER: z.string().min(1),
  /** Name of the SSM SecureString with the private key for Web Push. */
  PUSH_KEY_PARAMETER: z.string().min(1),
  WEBHOOK_DESTINATIONS: WebhookDestinations,
  /** Name of the SSM SecureString with the key that addresses in messages are signed with. */
  LINK_KEY_PARAMETER: z.string().min(1),
  /** What addresses in messages begin with. */
  PUBLIC_URL: z.url(),
});
