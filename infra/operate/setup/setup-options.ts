import { parseArgs } from 'node:util';
import type * as z from 'zod';
import { readStageName } from '#infra/operate/stack-option.ts';
import { orUsageError, UsageError } from '#infra/operate/usage-error.ts';
import { SETTINGS_FOLDER } from '#infra/stack/settings.ts';
import { Identifier } from '#shared/domain/words.ts';
import { readSource, type SecretSource } from './secret-source.ts';
import { Budget, Emails, type SetupAnswers, UpstreamUrl } from './setup-answers.ts';

/** The command line of `npm run setup`. A terminal asks for missing values. */
export type SetupOptions = {
  readonly stage: string | undefined;
  readonly region: string | undefined;
  readonly answers: Omit<SetupAnswers, 'upstreamKey' | 'slackWebhook'>;
  readonly upstreamKey: SecretSource | undefined;
  readonly slackWebhook: SecretSource | undefined;
  readonly tenant: string;
  readonly settingsFolder: string;
  readonly yes: boolean;
  readonly json: boolean;
};

export const help = `npm run setup -- [options]

Deploys a stage of floorwatch, or upgrades it. Shows a plan and asks for confirmation. Existing
settings, secrets and data stay. Repeat the command if it was interrupted. A terminal asks for
missing options; with --yes they keep their present or default values.

  --stage NAME               dev, prod or any other short lower-case word
  --region NAME              the AWS region (default: that of the settings, or the environment)
  --email ADDRESS            an operator, who gets every alert of the stack; repeatable
  --upstream-url URL         the provider of prices
  --upstream-key-from SOURCE the provider's key
  --slack-webhook-from SOURCE
                             the operators' Slack webhook, https://hooks.slack.com/services/…
  --budget-per-day N         cost units of the provider that may be spent in a day
  --budget-per-month N       and in a month
  --tenant NAME              the tenant of the first API key (default main)
  --settings FOLDER          the folder of the stages' settings (default ${SETTINGS_FOLDER})
  --yes                      do not ask; --stage is then needed
  --json                     JSON lines: account, plan, step, ready
  --help                     this text

SOURCE is env:NAME, file:PATH, or - for the standard input: no secret is on a command line. Secrets
are stored only as SecureStrings of SSM. An existing secret changes only if you give a new one.

Exit codes: 0 done, 2 a mistake that you can mend, 1 failure.
`;

/** Reads the command line; undefined for `--help`. */
export function readSetupOptions(args: readonly string[]): SetupOptions | undefined {
  const given = readArguments(args);
  if (given.help) return undefined;
  const upstreamKey = readSource('--upstream-key-from', given['upstream-key-from']);
  const slackWebhook = readSource('--slack-webhook-from', given['slack-webhook-from']);
  if (upstreamKey?.kind === 'stdin' && slackWebhook?.kind === 'stdin') {
    throw new UsageError(
      'only one of --upstream-key-from and --slack-webhook-from can be -, the standard input',
    );
  }
  const { stage, region, tenant, settings, yes, json } = given;
  return {
    ...{ region, upstreamKey, slackWebhook, settingsFolder: settings, yes, json },
    stage: stage === undefined ? undefined : readStageName(stage),
    tenant: read('--tenant', Identifier, tenant),
    answers: {
      operatorEmails: read('--email', Emails.optional(), given.email?.join(',')),
      upstreamUrl: read('--upstream-url', UpstreamUrl.optional(), given['upstream-url']),
      upstreamBudgetPerDay: read('--budget-per-day', Budget.optional(), given['budget-per-day']),
      upstreamBudgetPerMonth: read(
        '--budget-per-month',
        Budget.optional(),
        given['budget-per-month'],
      ),
    },
  };
}

/** Validates the value of an option. Errors do not repeat the value: it may be a secret. */
export function read<Schema extends z.ZodType>(
  option: string,
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UsageError(`${option}: ${parsed.error.issues[0]?.message}`);
}

function readArguments(args: readonly string[]) {
  return orUsageError(
    () =>
      parseArgs({
        args: [...args],
        options: {
          stage: { type: 'string' },
          region: { type: 'string' },
          email: { type: 'string', multiple: true },
          'upstream-url': { type: 'string' },
          'upstream-key-from': { type: 'string' },
          'slack-webhook-from': { type: 'string' },
          'budget-per-day': { type: 'string' },
          'budget-per-month': { type: 'string' },
          tenant: { type: 'string', default: 'main' },
          settings: { type: 'string', default: SETTINGS_FOLDER },
          yes: { type: 'boolean', default: false },
          json: { type: 'boolean', default: false },
          help: { type: 'boolean', default: false },
        },
      }).values,
  );
}
