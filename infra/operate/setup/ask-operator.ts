import type * as z from 'zod';
import type { Terminal } from '#infra/operate/terminal.ts';
import { findStage } from '#infra/stack/stages.ts';
import { MainProvider, Provider } from '#shared/domain/market/provider.ts';
import { type Found, settingsFor } from './plan-setup.ts';
import {
  AwsBudget,
  Budget,
  EmailSender,
  Emails,
  FIREWALL_PRICE,
  FirewallRequests,
  SecondProvider,
  type SetupAnswers,
  SlackWebhook,
  UpstreamKey,
  UpstreamProvider,
  UpstreamUrl,
  USUAL_FIREWALL_REQUESTS,
} from './setup-answers.ts';

/** Asks for missing options. An empty answer keeps the present or the default value. */
export async function askOperator(
  terminal: Terminal,
  name: string,
  given: SetupAnswers,
  { settings, secret }: Pick<Found, 'settings' | 'secret'>,
): Promise<SetupAnswers> {
  const { ask, askSecret } = terminal;
  const known = findStage(name, settings ?? {});
  const emails = known.operatorEmails.join(', ') || 'none';
  const operatorEmails =
    given.operatorEmails ??
    (await answer(ask, `Emails of the operators, separated by commas [${emails}]: `, Emails));
  const upstreamProvider =
    given.upstreamProvider ??
    (await answer(
      ask,
      `Provider of prices, ${MainProvider.options.join(' or ')} [${known.upstreamProvider}]: `,
      UpstreamProvider,
    ));
  const now = findStage(name, settingsFor(upstreamProvider, settings));
  const hasKey = (await secret(now.upstreamKeyParameter)) !== undefined;
  const { slackWebhookParameter: slack } = now;
  const hasSlack = slack !== undefined && (await secret(slack)) !== undefined;

  return {
    operatorEmails,
    upstreamProvider,
    upstreamUrl:
      given.upstreamUrl ?? (await answer(ask, `Its address [${now.upstreamUrl}]: `, UpstreamUrl)),
    ...(await askKey(terminal, given, { hasKey, isMade: now.upstreamProvider === 'opensea' })),
    upstreamBudgetPerDay:
      given.upstreamBudgetPerDay ??
      (await answer(ask, `Its cost units for a day [${now.upstreamBudgetPerDay}]: `, Budget)),
    upstreamBudgetPerMonth:
      given.upstreamBudgetPerMonth ??
      (await answer(ask, `And for a month [${now.upstreamBudgetPerMonth}]: `, Budget)),
    ...(await askSecond(terminal, name, given, { settings, secret })),
    awsBudget:
      given.awsBudget ??
      (await answer(
        ask,
        `Dollars that AWS may bill the account in a month before operators get an email [${known.awsBudgetPerMonth ?? 'none'}]: `,
        AwsBudget,
      )),
    firewall:
      given.firewall ??
      (await answer(
        ask,
        `Requests of one address in five minutes before a firewall blocks it (AWS WAF, ${FIREWALL_PRICE}), such as ${USUAL_FIREWALL_REQUESTS} [${known.firewallRequestsPerAddress ?? 'none'}]: `,
        FirewallRequests,
      )),
    emailSender:
      given.emailSender ??
      (await answer(
        ask,
        `The address that emails to channels come from, verified in SES [${now.emailSender ?? 'none: SNS sends them'}]: `,
        EmailSender,
      )),
    slackWebhook:
      given.slackWebhook ??
      (await answer(
        askSecret,
        `The operators' Slack webhook [${hasSlack ? 'the one that is there' : 'none'}]: `,
        SlackWebhook,
      )),
  };
}

/** A key that is made without an account is the default where there is none. */
async function askKey(
  { askSecret }: Terminal,
  { upstreamKey: given, instantKey }: SetupAnswers,
  { hasKey, isMade }: { readonly hasKey: boolean; readonly isMade: boolean },
): Promise<Pick<SetupAnswers, 'upstreamKey' | 'instantKey'>> {
  if (given !== undefined) return { upstreamKey: given };
  if (instantKey) return { instantKey };
  if (hasKey) {
    return {
      upstreamKey: await answer(askSecret, 'Its key [the one that is there]: ', UpstreamKey),
    };
  }
  if (!isMade) return { upstreamKey: await answer(askSecret, 'Its key: ', UpstreamKey, 'needed') };
  const question = 'Its key [one that it makes for a week, without an account]: ';
  const upstreamKey = await answer(askSecret, question, UpstreamKey);
  return upstreamKey === undefined ? { instantKey: true } : { upstreamKey };
}

async function askSecond(
  { ask, askSecret }: Terminal,
  name: string,
  given: SetupAnswers,
  { settings, secret }: Pick<Found, 'settings' | 'secret'>,
): Promise<Pick<SetupAnswers, 'secondProvider' | 'secondKey'>> {
  const known = settings?.otherProviders?.[0]?.provider;
  const names = `${Provider.options.join(', ')} or none`;
  const secondProvider =
    given.secondProvider ??
    (await answer(
      ask,
      `A second provider, which stands in for it and confirms its floors, ${names} [${known ?? 'none'}]: `,
      SecondProvider,
    ));
  const provider = secondProvider ?? known;
  if (provider === undefined || provider === 'none') return { secondProvider };
  const [second] = findStage(name, { otherProviders: [{ provider }] }).otherProviders;
  const hasKey = second !== undefined && (await secret(second.keyParameter)) !== undefined;
  const what = provider === 'ethereum-node' ? 'Its address, kept as a secret' : 'Its key';
  const secondKey =
    given.secondKey ??
    (hasKey
      ? await answer(askSecret, `${what} [the one that is there]: `, UpstreamKey)
      : await answer(askSecret, `${what}: `, UpstreamKey, 'needed'));
  return { secondProvider, secondKey };
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
