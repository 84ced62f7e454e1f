import type { ChatDouble } from './chat-double.ts';
import { discordDouble } from './discord/double.ts';
import type { ChatKind, Written } from './kinds.ts';
import { pagerdutyDouble } from './pagerduty/double.ts';
import { pushDouble } from './push/double.ts';
import { slackDouble } from './slack/double.ts';
import { slackBotDouble } from './slack-bot/double.ts';
import { teamsDouble } from './teams/double.ts';
import { telegramDouble } from './telegram/double.ts';

/** The fakes of all chats; the type requires every kind. Lambda functions do not include them. */
export const DOUBLES: { readonly [Name in ChatKind]: ChatDouble<Written[Name]> } = {
  slack: slackDouble,
  slack_bot: slackBotDouble,
  discord: discordDouble,
  teams: teamsDouble,
  telegram: telegramDouble,
  push: pushDouble,
  pagerduty: pagerdutyDouble,
};
