import type * as z from 'zod';
import type { Terminal } from '#infra/operate/terminal.ts';
import { findStage } from '#infra/stack/stages.ts';
import type { Found } from './plan-setup.ts';
import {
  Budget,
  Emails,
  type SetupAnswers,
  SlackWebhook,
  UpstreamKey,
  UpstreamUrl,
} from './setup-answers.ts';

/** Asks for missing options. An empty answer keeps the present or the default value. */
export async function askOperator(
  terminal: Terminal,
  name: string,
  given: SetupAnswers,
  { settings, secret }: Pick<Found, 'settings' | 'secret'>,
): Promise<SetupAnswers> {
  const now = findStage(name, settings ?? {});
  const emails = now.operatorEmails.join(', ') || 'none';
  const hasKey = (await secret(now.upstreamKeyParameter)) !== undefined;
  const { slackWebhookParameter: slack } = now;
  const hasSlack = slack !== undefined && (await secret(slack)) !== undefined;
  const { ask, askSecret } = terminal;

  return {
    operatorEmails:
      given.operatorEmails ??
      (await answer(ask, `Emails of the operators, separated by commas [${emails}]: `, Emails)),
    upstreamUrl:
      given.upstreamUrl ??
      (await answer(ask, `URL of the provider of prices [${now.upstreamUrl}]: `, UpstreamUrl)),
    upstreamKey:
      given.upstreamKey ??
      (hasKey
        ? await answer(askSecret, 'Its key [the one that is there]: ', UpstreamKey)
        : await answer(askSecret, 'Its key: ', UpstreamKey, 'needed')),
    upstreamBudgetPerDay:
      given.upstreamBudgetPerDay ??
      (await answer(ask, `Its cost units for a day [${now.upstreamBudgetPerDay}]: `, Budget)),
    upstreamBudgetPerMonth:
      given.upstreamBudgetPerMonth ??
      (await answer(ask, `And for a month [${now.upstreamBudgetPerMonth}]: `, Budget)),
    slackWebhook:
      given.slackWebhook ??
      (await answer(
        askSecret,
        `The operators' Slack webhook [${hasSlack ? 'the one that is there' : 'none'}]: `,
        SlackWebhook,
      )),
  };
}

/** Asks until the answer is valid; undefined for an empty answer to an optional question. */
async function answer<Schema extends z.ZodType<unknown, string>>(
  ask: Terminal['ask'],
  question: string,
  schema: Schema,
  isNeeded: 'needed' | undefined = undefined,
): Promise<z.output<Schema> | undefined> {
  let issue = '';
  for (;;) {
    const given = await ask(`${issue}${question}`);
    if (given === '' && isNeeded === undefined) return undefined;
    const read = schema.safeParse(given);
    if (read.success) return read.data;
    issue = `${read.error.issues[0]?.message}\n`;
  }
}
