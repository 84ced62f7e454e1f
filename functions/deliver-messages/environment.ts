import * as z from 'zod';
import { ChatOrigins } from '#shared/channels/chat-origins.ts';
import { WebhookDestinations } from '#shared/domain/channels/webhook-destinations.ts';
import { JsonText } from '#shared/domain/json-text.ts';

/** The environment variables of `deliver-messages`, set by the stack. */
export const DeliverMessagesEnvironment = z.object({
  /** The stage, which is the dimension of the metrics. */
  STAGE: z.string().min(1),
  WATCH_TABLE: z.string().min(1),
  CHANNELS_QUEUE_URL: z.url(),
  /** The operators' topic. */
  STACK_TOPIC_ARN: z.string().min(1),
  /** The prefix of topics created at run time, e.g. `floorwatch-prod-`. */
  TOPIC_PREFIX: z.string().min(1),
  /** The name of the SSM SecureString with the stack's Slack webhook; absent without one. */
  SLACK_WEBHOOK_PARAMETER: z.string().min(1).optional(),
  /**
   * The sender of emails through SES, and the configuration set for delivery reports; absent
   * without a sender.
   */
  EMAIL_SENDER: z.email().optional(),
  EMAIL_CONFIGURATION_SET: z.string().min(1).optional(),
  /** The origins of chats, used instead of the real services, as JSON: `{"slack":"http://…"}`. */
  CHAT_ORIGINS: JsonText.pipe(ChatOrigins),
  /** The name of the SSM SecureString with the key that opens secrets of channels. */
  CHANNEL_KEY_PARAMETER: z.string().min(1),
  /** The name of the SSM SecureString with the private key for Web Push. */
  PUSH_KEY_PARAMETER: z.string().min(1),
  WEBHOOK_DESTINATIONS: WebhookDestinations,
  /** The name of the SSM SecureString with the key that signs links in messages. */
  LINK_KEY_PARAMETER: z.string().min(1),
  /** The prefix of links in messages. */
  PUBLIC_URL: z.url(),
});
