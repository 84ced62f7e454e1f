import * as z from 'zod';
import { flag, option, text } from '#infra/command-line/options.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { stageTarget } from '#infra/operate/target.ts';
import { StageName } from '#infra/stack/stages.ts';
import { MainProvider, Provider } from '#shared/domain/market/provider.ts';
import { Identifier } from '#shared/domain/words.ts';
import { NEW_TABLE } from './plan-table.ts';
import { readSecret, type SecretInputs } from './secret-source.ts';
import {
  ANSWERS,
  FIREWALL_PRICE,
  type SetupAnswers,
  USUAL_FIREWALL_REQUESTS,
} from './setup-answers.ts';

/** The value of `--upstream-key-from` that makes the provider create the key. */
const INSTANT = 'instant';

/** The options of setup. A terminal asks for missing values. */
export const options = z.object({
  stage: option(
    'name',
    'the stage, such as dev or prod: 1 to 16 lowercase letters and digits, starting with a letter',
    StageName.optional(),
  ),
  region: option(
    'name',
    'the AWS region (default: the region in the settings, or else in the environment)',
    text,
  ),
  email: option(
    'address...',
    'the email addresses of the operators, who get alarms and reports of alerts that a channel rejected',
    z
      .array(z.string())
      .transform((emails) => emails.join(','))
      .pipe(ANSWERS.operatorEmails)
      .optional(),
  ),
  operatorAlerts: option(
    'which',
    'which alerts of the tenants the operators also get: none, critical or all (default: none)',
    ANSWERS.operatorAlerts.optional(),
  ),
  awsBudget: option(
    'dollars',
    'the monthly AWS budget of the account in dollars, or none (default: none); the operators get an email when the bill approaches this amount',
    ANSWERS.awsBudget.optional(),
  ),
  firewall: option(
    'requests',
    `the maximum number of requests from one IP address in five minutes, such as ${USUAL_FIREWALL_REQUESTS}, or none: a firewall (AWS WAF, ${FIREWALL_PRICE}) blocks an IP address that sends more (default: none)`,
    ANSWERS.firewall.optional(),
  ),
  emailSender: option(
    'address',
    'the sender address for emails to channels (SES must have verified this address), or none to send plain text by SNS',
    ANSWERS.emailSender.optional(),
  ),
  provider: option(
    'name',
    `the price provider: ${MainProvider.options.join(' or ')}`,
    ANSWERS.upstreamProvider.optional(),
  ),
  upstreamUrl: option('url', 'the URL of the provider (default: its public URL)', text),
  upstreamKeyFrom: option(
    'source',
    `the source of the provider's key, or ${INSTANT} for a key that OpenSea creates without an account and that works for a week`,
    text,
  ),
  secondProvider: option(
    'name',
    `the fallback provider, which also confirms floors: ${Provider.options.join(', ')} or none`,
    ANSWERS.secondProvider.optional(),
  ),
  secondKeyFrom: option(
    'source',
    "the source of the second provider's key; the key of an Ethereum node is its complete URL",
    text,
  ),
  slackWebhookFrom: option(
    'source',
    "the source of the URL of the operators' Slack webhook (https://hooks.slack.com/services/…)",
    text,
  ),
  budgetPerDay: option(
    'units',
    'the maximum number of cost units to spend at the provider in a day',
    ANSWERS.upstreamBudgetPerDay.optional(),
  ),
  budgetPerMonth: option(
    'units',
    'the maximum number of cost units to spend at the provider in a month',
    ANSWERS.upstreamBudgetPerMonth.optional(),
  ),
  table: option(
    'name',
    `the table to use: a restored or retained table of the stage, or ${NEW_TABLE} for an empty one (default: the table in use, or else the only retained table)`,
    text,
  ),
  tenant: option('name', 'the tenant of the first API key', Identifier.prefault('main')),
  settings: stageTarget.settings,
  yes: flag('skip all questions; needs --stage'),
  dryRun: flag('show the plan and the resource changes without applying them'),
});

/** Reads the answers in the options, with the secrets from their sources. */
export async function readAnswers(
  given: z.output<typeof options>,
  inputs: SecretInputs,
): Promise<SetupAnswers> {
  const { upstreamKeyFrom, secondKeyFrom, slackWebhookFrom } = given;
  if ([upstreamKeyFrom, secondKeyFrom, slackWebhookFrom].filter(isStdin).length > 1) {
    throw new UsageError('only one secret can come from - (the standard input)');
  }
  const secret = async (option: string, schema: z.ZodType<string>, source: string | undefined) =>
    source && checked(option, schema, await readSecret(option, source, inputs));
  return {
    operatorEmails: given.email,
    operatorAlerts: given.operatorAlerts,
    awsBudget: given.awsBudget,
    firewall: given.firewall,
    emailSender: given.emailSender,
    upstreamProvider: given.provider,
    upstreamUrl: checked('--upstream-url', ANSWERS.upstreamUrl.optional(), given.upstreamUrl),
    upstreamBudgetPerDay: given.budgetPerDay,
    upstreamBudgetPerMonth: given.budgetPerMonth,
    secondProvider: given.secondProvider,
    table: given.table,
    ...(upstreamKeyFrom === INSTANT
      ? { instantKey: true }
      : { upstreamKey: await secret('--upstream-key-from', ANSWERS.upstreamKey, upstreamKeyFrom) }),
    secondKey: await secret('--second-key-from', ANSWERS.secondKey, secondKeyFrom),
    slackWebhook: await secret('--slack-webhook-from', ANSWERS.slackWebhook, slackWebhookFrom),
  };
}

const isStdin = (source: string | undefined) => source === '-';

/** Parses an option. Errors do not repeat the value, because it may be a secret. */
export function checked<Schema extends z.ZodType>(
  option: string,
  schema: Schema,
  value: string | undefined,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UsageError(`${option}: ${parsed.error.issues[0]?.message}`);
}
