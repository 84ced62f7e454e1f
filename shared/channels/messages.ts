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
 * What each kind of channel is sent, but for addresses and secrets; a kind that is missing here does
 * not compile. Apart from how it is posted, so that what only shows messages bundles nothing of
 * that.
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
