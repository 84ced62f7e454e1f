import { discordChat } from './discord/post.ts';
import type { ChatKind, Written } from './kinds.ts';
import { pagerdutyChat } from './pagerduty/post.ts';
import type { Chat } from './post-to-chat.ts';
import { pushChat } from './push/post.ts';
import { slackChat } from './slack/post.ts';
import { slackBotChat } from './slack-bot/post.ts';
import { teamsChat } from './teams/post.ts';
import { telegramChat } from './telegram/post.ts';

/** The chats by kind. The type requires every kind. */
export const CHATS: { readonly [Name in ChatKind]: Chat<Written[Name]> } = {
  slack: slackChat,
  slack_bot: slackBotChat,
  discord: discordChat,
  teams: teamsChat,
  telegram: telegramChat,
  push: pushChat,
  pagerduty: pagerdutyChat,
};
