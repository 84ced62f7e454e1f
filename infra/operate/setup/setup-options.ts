import { parseArgs } from 'node:util';
import type * as z from 'zod';
import { readStageName } from '#infra/operate/stack-option.ts';
import { orUsageError, UsageError } from '#infra/operate/usage-error.ts';
import { SETTINGS_FOLDER } from '#infra/settings.ts';
import { Identifier } from '#shared/domain/words.ts';
import { readSource, type SecretSource } from './secret-source.ts';
import { Budget, Emails, UpstreamUrl, type Wishes } from './wishes.ts';

/** What `npm run setup` was asked to do; what was left out is asked for, or stays as it is. */
export type SetupOptions = {
  readonly stage: string | undefined;
  readonly region: string | undefined;
  readonly wishes: Omit<Wishes, 'upstreamKey' | 'slackWebhook'>;
  readonly upstreamKey: SecretSource | undefined;
  readonly slackWebhook: SecretSource | undefined;
  readonly tenant: string;
  readonly settingsFolder: string;
  readonly yes: boolean;
  readonly json: boolean;
};

export const help = `npm run setup -- [options]

Deploys a stage of floorwatch, or brings it up to date: it says what it is going to do and asks
first, keeps what is there, and may be repeated, also when it was cut short. On a terminal it asks
for what no option says; elsewhere, and with --yes, that stays as it is.

  --stage NAME               dev, prod or any other short word (dev if nothing else is said)
  --region NAME              where to; that of the environment's AWS settings if left out
  --email ADDRESS            who gets every alert of the stack; may be given several times
  --upstream-url URL         where prices are asked for
  --upstream-key-from SOURCE    the key for it
  --slack-webhook-from SOURCE   the stack's own Slack webhook, https://hooks.slack.com/services/…
  --budget-per-day N         the provider's cost units that may be spent in a day
  --budget-per-month N       and in a month
  --tenant NAME              for whom the first key of the interface is (main if left out)
  --settings FOLDER          where the settings of stages are kept (${SETTINGS_FOLDER} if left out)
  --yes                      do it without asking
  --json                     JSON lines: account, plan, step, ready
  --help                     this text

SOURCE is env:NAME, file:PATH, or - for the standard input: a secret is never on the command line.
It goes into a SecureString of SSM and nowhere else. One that is there is replaced only by one that
is given.

Ends with 0 when it is done, with 2 for what you can mend, and with 1 for a failure.
`;

/** Reads the command line; `undefined` when only the help is asked for. */
export function readSetupOptions(args: readonly string[]): SetupOptions | undefined {
  const given = readArguments(args);
  if (given.help) return undefined;
  const upstreamKey = readSource('--upstream-key-from', given['upstream-key-from']);
  const slackWebhook = readSource('--slack-webhook-from', given['slack-webhook-from']);
  if (upstreamKey?.kind === 'stdin' && slackWebhook?.kind === 'stdin') {
    throw new UsageError('only one secret can be on the standard input');
  }
  const { stage, region, tenant, settings, yes, json } = given;
  return {
    ...{ region, upstreamKey, slackWebhook, settingsFolder: settings, yes, json },
    stage: stage === undefined ? undefined : readStageName(stage),
    tenant: read('--tenant', Identifier, tenant),
    wishes: {
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

/** Reads what was given by an option; what is wrong is not repeated, since it may be a secret. */
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
