import { discordSecrets } from './discord/secret-forms.ts';
import type { Kind } from './kinds.ts';
import { pagerdutySecrets } from './pagerduty/secret-forms.ts';
import { pushSecrets } from './push/secret-forms.ts';
import { slackSecrets } from './slack/secret-forms.ts';
import { slackBotSecrets } from './slack-bot/secret-forms.ts';
import { teamsSecrets } from './teams/secret-forms.ts';
import { telegramSecrets } from './telegram/secret-forms.ts';
import { webhookSecrets } from './webhook/secret-forms.ts';

/**
 * Patterns of secrets in texts, each with linear matching time. They are separate from `kinds.ts`,
 * so that functions without channels start without loading the schemas.
 */
export const SECRET_FORMS: { readonly [Name in Kind]: readonly RegExp[] } = {
  email: [],
  sqs: [],
  // These must precede Slack's patterns, which match only the beginning of these secrets.
  teams: teamsSecrets,
  slack: slackSecrets,
  slack_bot: slackBotSecrets,
  discord: discordSecrets,
  telegram: telegramSecrets,
  push: pushSecrets,
  pagerduty: pagerdutySecrets,
  webhook: webhookSecrets,
};
