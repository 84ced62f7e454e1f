import * as z from 'zod';

/** What `deliver-messages` must be told by the stack. */
export const DeliverMessagesEnvironment = z.object({
  WATCH_TABLE: z.string().min(1),
  /** Name of the SSM SecureString that holds the stack's Slack webhook; absent when it has none. */
  SLACK_WEBHOOK_PARAMETER: z.string().min(1).optional(),
  /** Where Slack is reached: `https://hooks.slack.com`, or a double on loopback. */
  SLACK_ORIGIN: z.url({ protocol: /^https?$/ }),
});
