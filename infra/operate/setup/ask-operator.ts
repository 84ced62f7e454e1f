import type * as z from 'zod';
import type { Terminal } from '#infra/operate/terminal.ts';
import { findStage } from '#infra/stack/stages.ts';
import { MainProvider, Provider } from '#shared/domain/market/provider.ts';
import { type Found, settingsFor } from './plan-setup.ts';
import {
  ANSWERS,
  FIREWALL_PRICE,
  type SetupAnswers,
  USUAL_FIREWALL_REQUESTS,
} from './setup-answers.ts';

/** Asks for missing options. An empty answer keeps the current or the default value. */
export async function askOperator(
  { ask, askSecret }: Terminal,
  name: string,
  given: SetupAnswers,
  { settings, secret }: Pick<Found, 'settings' | 'secret'>,
): Promise<SetupAnswers> {
  const answer = async <Value>(
    known: Value | undefined,
    schema: z.ZodType<Value, string>,
    question: string,
    from = ask,
  ) => known ?? (await askUntilValid(from, question, schema));
  const hasSecret = async (parameter: string | undefined) =>
    parameter !== undefined && (await secret(parameter)) !== undefined;
  const before = findStage(name, settings ?? {});
  const emails = before.operatorEmails.join(', ') || 'none';
  const operatorEmails = await answer(
    given.operatorEmails,
    ANSWERS.operatorEmails,
    `Email addresses of the operators, separated by commas [${emails}]: `,
  );
  const upstreamProvider = await answer(
    given.upstreamProvider,
    ANSWERS.upstreamProvider,
    `Price provider, ${MainProvider.options.join(' or ')} [${before.upstreamProvider}]: `,
  );
  const now = findStage(name, settingsFor(upstreamProvider, settings));

  /** If no key is stored, the default is a key that OpenSea creates without an account. */
  const askKey = async (): Promise<SetupAnswers> => {
    if (given.upstreamKey !== undefined || given.instantKey) return {};
    if (await hasSecret(now.upstreamKeyParameter)) {
      return { upstreamKey: await askUntilValid(askSecret, `Its API key ${STORED}: `, KEY) };
    }
    const isMade = now.upstreamProvider === 'opensea';
    const question = isMade
      ? 'Its API key [a new key that works for a week, without an account]: '
      : 'Its API key: ';
    const upstreamKey = await askUntilValid(askSecret, question, KEY, !isMade);
    return upstreamKey === undefined ? { instantKey: true } : { upstreamKey };
  };

  const askSecond = async (): Promise<SetupAnswers> => {
    const known = settings?.otherProviders?.[0]?.provider;
    const secondProvider = await answer(
      given.secondProvider,
      ANSWERS.secondProvider,
      `Fallback provider, which also confirms floors: ${Provider.options.join(', ')} or none [${known ?? 'none'}]: `,
    );
    const provider = secondProvider ?? known;
    const isAsked = provider !== undefined && provider !== 'none' && given.secondKey === undefined;
    if (!isAsked) return { secondProvider };
    const [second] = findStage(name, { otherProviders: [{ provider }] }).otherProviders;
    const isThere = await hasSecret(second?.keyParameter);
    const what = provider === 'ethereum-node' ? 'Its URL (stored as a secret)' : 'Its API key';
    const question = `${what}${isThere ? ` ${STORED}` : ''}: `;
    return { secondProvider, secondKey: await askUntilValid(askSecret, question, KEY, !isThere) };
  };

  return {
    ...given,
    ...{ operatorEmails, upstreamProvider },
    upstreamUrl: await answer(
      given.upstreamUrl,
      ANSWERS.upstreamUrl,
      `Its URL [${now.upstreamUrl}]: `,
    ),
    ...(await askKey()),
    upstreamBudgetPerDay: await answer(
      given.upstreamBudgetPerDay,
      ANSWERS.upstreamBudgetPerDay,
      `Its daily budget in cost units [${now.upstreamBudgetPerDay}]: `,
    ),
    upstreamBudgetPerMonth: await answer(
      given.upstreamBudgetPerMonth,
      ANSWERS.upstreamBudgetPerMonth,
      `Its monthly budget in cost units [${now.upstreamBudgetPerMonth}]: `,
    ),
    ...(await askSecond()),
    awsBudget: await answer(
      given.awsBudget,
      ANSWERS.awsBudget,
      `The monthly AWS budget of the account in dollars; operators get an email when the bill approaches this amount [${before.awsBudgetPerMonth ?? 'none'}]: `,
    ),
    firewall: await answer(
      given.firewall,
      ANSWERS.firewall,
      `The maximum number of requests from one IP address in five minutes, such as ${USUAL_FIREWALL_REQUESTS}; a firewall blocks an address that sends more (AWS WAF, ${FIREWALL_PRICE}) [${before.firewallRequestsPerAddress ?? 'none'}]: `,
    ),
    emailSender: await answer(
      given.emailSender,
      ANSWERS.emailSender,
      `The sender address for emails to channels, verified in SES [${now.emailSender ?? 'none: SNS sends plain text'}]: `,
    ),
    slackWebhook: await answer(
      given.slackWebhook,
      ANSWERS.slackWebhook,
      `The operators' Slack webhook ${(await hasSecret(now.slackWebhookParameter)) ? STORED : '[none]'}: `,
      askSecret,
    ),
  };
}

const STORED = '[keep the stored value]';
const KEY = ANSWERS.upstreamKey;

/**
 * Repeats the question until the answer is valid; undefined for an empty answer to an optional
 * question.
 */
async function askUntilValid<Value>(
  ask: Terminal['ask'],
  question: string,
  schema: z.ZodType<Value, string>,
  isNeeded = false,
): Promise<Value | undefined> {
  let issue = '';
  for (;;) {
    const given = await ask(`${issue}${question}`);
    if (given === '' && !isNeeded) return undefined;
    const read = schema.safeParse(given);
    if (read.success) return read.data;
    issue = `${read.error.issues[0]?.message}\n`;
  }
}
