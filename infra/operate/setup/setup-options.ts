import * as z from 'zod';
import { flag, option, text } from '#infra/command-line/options.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { StageName, stageTarget } from '#infra/operate/target.ts';
import { MainProvider, Provider } from '#shared/domain/market/provider.ts';
import { Identifier } from '#shared/domain/words.ts';
import { NEW_TABLE } from './plan-table.ts';
import { readSource } from './secret-source.ts';
import {
  AlertsOfTenants,
  AwsBudget,
  Budget,
  EmailSender,
  Emails,
  FIREWALL_PRICE,
  FirewallRequests,
  SecondProvider,
  UpstreamProvider,
  UpstreamUrl,
  USUAL_FIREWALL_REQUESTS,
} from './setup-answers.ts';

/** In place of a source: the key is made by the provider. */
const INSTANT = 'instant';

/** The options of setup. A terminal asks for missing values. */
export const options = z.object({
  stage: option('name', 'dev, prod or any other short lower-case word', StageName.optional()),
  region: option(
    'name',
    'the AWS region (default: that of the settings, or the environment)',
    text,
  ),
  email: option(
    'address...',
    'the operators: they get the alarms, and news of alerts that a channel did not accept',
    z
      .array(z.string())
      .transform((emails) => emails.join(','))
      .pipe(Emails)
      .optional(),
  ),
  operatorAlerts: option(
    'which',
    'alerts of tenants that the operators get too: none, critical or all (default: none)',
    AlertsOfTenants.optional(),
  ),
  awsBudget: option(
    'dollars',
    'the monthly AWS bill above which the operators get an email, or none (default: none)',
    AwsBudget.optional(),
  ),
  firewall: option(
    'requests',
    `the most requests of one address in five minutes, such as ${USUAL_FIREWALL_REQUESTS}, or none: a firewall (AWS WAF, ${FIREWALL_PRICE}) blocks an address with more (default: none)`,
    FirewallRequests.optional(),
  ),
  emailSender: option(
    'address',
    'the sender of emails to channels, verified in SES; or none: SNS sends plain text',
    EmailSender.optional(),
  ),
  provider: option(
    'name',
    `where prices come from: ${MainProvider.options.join(' or ')}`,
    UpstreamProvider.optional(),
  ),
  upstreamUrl: option('url', "the provider's address, if it is not the usual one", text),
  upstreamKeyFrom: option(
    'source',
    `the provider's key; ${INSTANT}: OpenSea makes one for a week, without an account`,
    text,
  ),
  secondProvider: option(
    'name',
    `fallback provider, also used to confirm floors: ${Provider.options.join(', ')} or none`,
    SecondProvider.optional(),
  ),
  secondKeyFrom: option(
    'source',
    "the second provider's key; for an Ethereum node its whole address",
    text,
  ),
  slackWebhookFrom: option(
    'source',
    "the operators' Slack webhook, https://hooks.slack.com/services/…",
    text,
  ),
  budgetPerDay: option(
    'units',
    'cost units of the provider that may be spent in a day',
    Budget.optional(),
  ),
  budgetPerMonth: option(
    'units',
    'cost units of the provider that may be spent in a month',
    Budget.optional(),
  ),
  table: option(
    'name',
    `an existing table of the stage: a restored one, or one that an earlier stack has left (default: the one in use, or the only one that was left); ${NEW_TABLE} for an empty one`,
    text,
  ),
  tenant: option('name', 'the tenant of the first API key', Identifier.prefault('main')),
  settings: stageTarget.settings,
  yes: flag('do not ask; --stage is then needed'),
  dryRun: flag('show the plan and the difference of resources, ask nothing and do nothing'),
});

/** What setup reads from the options: the answers, and where it finds the secrets among them. */
export function readAnswers(given: z.output<typeof options>) {
  const instantKey = given.upstreamKeyFrom === INSTANT;
  const sources = {
    upstreamKey: instantKey ? undefined : readSource('--upstream-key-from', given.upstreamKeyFrom),
    slackWebhook: readSource('--slack-webhook-from', given.slackWebhookFrom),
    secondKey: readSource('--second-key-from', given.secondKeyFrom),
  };
  const fromStdin = Object.values(sources).filter((source) => source?.kind === 'stdin');
  if (fromStdin.length > 1) {
    throw new UsageError('only one secret can come from -, the standard input');
  }
  return {
    sources,
    answers: {
      operatorEmails: given.email,
      operatorAlerts: given.operatorAlerts,
      awsBudget: given.awsBudget,
      firewall: given.firewall,
      emailSender: given.emailSender,
      upstreamProvider: given.provider,
      ...(instantKey ? { instantKey } : {}),
      upstreamUrl: checked('--upstream-url', UpstreamUrl.optional(), given.upstreamUrl),
      upstreamBudgetPerDay: given.budgetPerDay,
      upstreamBudgetPerMonth: given.budgetPerMonth,
      secondProvider: given.secondProvider,
      table: given.table,
    },
  };
}

/** Errors do not repeat the value: it may be a secret. */
export function checked<Schema extends z.ZodType>(
  option: string,
  schema: Schema,
  value: string | undefined,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UsageError(`${option}: ${parsed.error.issues[0]?.message}`);
}
