import type { Kind } from '#shared/channels/kinds.ts';
import { discordExample } from '#test/shared/channels/discord/example.ts';
import { emailExample } from '#test/shared/channels/email/example.ts';
import { pagerdutyExample } from '#test/shared/channels/pagerduty/example.ts';
import { pushExample } from '#test/shared/channels/push/example.ts';
import { slackExample } from '#test/shared/channels/slack/example.ts';
import { slackBotExample } from '#test/shared/channels/slack-bot/example.ts';
import { sqsExample } from '#test/shared/channels/sqs/example.ts';
import { teamsExample } from '#test/shared/channels/teams/example.ts';
import { telegramExample } from '#test/shared/channels/telegram/example.ts';
import { webhookExample } from '#test/shared/channels/webhook/example.ts';
import type { ChannelExample } from '#test/support/channel-example.ts';

/** An example of each kind; a new kind does not compile without one. */
export const EXAMPLES: { readonly [Name in Kind]: ChannelExample<Name> } = {
  email: emailExample,
  sqs: sqsExample,
  slack: slackExample,
  slack_bot: slackBotExample,
  discord: discordExample,
  teams: teamsExample,
  telegram: telegramExample,
  push: pushExample,
  pagerduty: pagerdutyExample,
  webhook: webhookExample,
};

export const CHAT_EXAMPLES = Object.values(EXAMPLES).flatMap((example) =>
  'chat' in example ? [example] : [],
);
