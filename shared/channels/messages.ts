import { emailText } from '#shared/domain/alerting/email-text.ts';
import type { Notification } from '#shared/domain/alerting/notification.ts';
import { subjectLine } from '#shared/domain/alerting/subject-line.ts';
import { discordMessage } from './discord/message.ts';
import type { Kind } from './kinds.ts';
import { pagerdutyEvent } from './pagerduty/message.ts';
import { pushMessage } from './push/message.ts';
import { slackMessage } from './slack/message.ts';
import { teamsMessage } from './teams/message.ts';
import { telegramMessage } from './telegram/message.ts';

type Write = (notification: Notification) => Readonly<Record<string, unknown>>;

const asEmail: Write = (notification) => ({
  subject: subjectLine(notification),
  text: emailText(notification),
});
const asItIs: Write = (notification) =>
  notification.kind === 'alert' ? notification.alert : notification;

/**
 * The message of each kind of channel, without addresses and secrets; the type requires every kind.
 * This file does not import the code that posts, so functions that only show messages stay small.
 */
export const MESSAGES: Readonly<Record<Kind, Write>> = {
  email: asEmail,
  sqs: asItIs,
  slack: slackMessage,
  slack_bot: slackMessage,
  discord: discordMessage,
  teams: teamsMessage,
  telegram: telegramMessage,
  push: pushMessage,
  pagerduty: pagerdutyEvent,
  webhook: asItIs,
};
