import { randomBytes } from 'node:crypto';
import process, { stderr, stdin } from 'node:process';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { SSMClient } from '@aws-sdk/client-ssm';
import type * as z from 'zod';
import type { Printer } from '#infra/command-line/printer.ts';
import { runCommand } from '#infra/command-line/run-command.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { createCloudStacks } from '#infra/operate/account/cloud-stacks.ts';
import { concurrencyLimit } from '#infra/operate/account/concurrency-limit.ts';
import { emailSending } from '#infra/operate/account/email-sending.ts';
import { type Identity, identify } from '#infra/operate/account/identify.ts';
import { createSecureStrings } from '#infra/operate/account/secure-strings.ts';
import { createStageTables } from '#infra/operate/account/stage-tables.ts';
import { keepCanary } from '#infra/operate/canary/keep-canary.ts';
import { StageName } from '#infra/operate/stack-option.ts';
import { createTerminal, type Terminal } from '#infra/operate/terminal.ts';
import { readSettings, settingsFile, writeSettings } from '#infra/stack/settings.ts';
import { canaryQueue } from '#infra/stack/stages.ts';
import { makeChannelKey } from '#shared/clients/channel-key.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { refusalInWords } from '#shared/domain/polling/part-health.ts';
import type { InstantKey } from '#shared/providers/opensea/answers.ts';
import { makeInstantKey } from '#shared/providers/opensea/instant-key.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { adoptTable } from '#shared/stores/adopt-table.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { askOperator } from './ask-operator.ts';
import { createCdk } from './cdk.ts';
import { type Found, planSetup } from './plan-setup.ts';
import { reportInJson, reportInWords } from './report.ts';
import { readSecret, type SecretSource } from './secret-source.ts';
import { type SetupPorts, setUp } from './set-up.ts';
import { type SetupAnswers, SlackWebhook, UpstreamKey } from './setup-answers.ts';
import { checked, readSetupOptions, type SetupOptions } from './setup-options.ts';

// biome-ignore lint/style/noProcessEnv: where AWS and the commands are found is the environment's
const environment = process.env;

await runCommand(readSetupOptions, async (options, printer) => {
  const given: SetupAnswers = {
    ...options.answers,
    upstreamKey: await secretOf('--upstream-key-from', options.upstreamKey, UpstreamKey),
    secondKey: await secretOf('--second-key-from', options.secondKey, UpstreamKey),
    slackWebhook: await secretOf('--slack-webhook-from', options.slackWebhook, SlackWebhook),
  };
  if (options.yes || options.dryRun) return await run(options, given, printer, undefined);
  if (!stdin.isTTY) throw new UsageError('without a terminal there is no confirmation: give --yes');
  const terminal = createTerminal(stdin, stderr);
  try {
    await run(options, given, printer, terminal);
  } finally {
    terminal.close();
  }
});

async function run(
  { settingsFolder, tenant, ...options }: SetupOptions,
  given: SetupAnswers,
  printer: Printer,
  terminal: Terminal | undefined,
): Promise<void> {
  const report = (options.json ? reportInJson : reportInWords)(printer);
  const stage = options.stage ?? (await askStage(terminal));
  const settings = readSettings(settingsFolder, stage);
  const identity = await identify(options.region ?? settings?.deployedTo?.region);
  report.account(identity);

  const { region } = identity;
  const secrets = createSecureStrings(new SSMClient({ region }));
  const stacks = createCloudStacks(new CloudFormationClient({ region }));
  const dynamodb = new DynamoDBClient({ region });
  const tables = createStageTables(dynamodb);
  const bootstrapVersion = await secrets.get('/cdk-bootstrap/hnb659fds/version');
  const inUse = await stacks.table(`floorwatch-${stage}`);
  const found: Found = {
    settings,
    secret: secrets.get,
    bootstrapVersion: bootstrapVersion === undefined ? undefined : Number(bootstrapVersion),
    concurrencyLimit: () => concurrencyLimit(new LambdaClient({ region })),
    emailSending: (sender) => emailSending(new SESv2Client({ region }), sender),
    stack: await stacks.find(`floorwatch-${stage}`),
    tables: {
      all: await tables.named(stage),
      inUse: inUse && { ...inUse, lacking: await tables.lacking(inUse.name) },
    },
  };
  const answers = terminal ? await askOperator(terminal, stage, given, found) : given;
  const plan = await planSetup(stage, identity, answers, found);
  report.plan(plan, settingsFile(settingsFolder, stage));
  const cdk = createCdk(identity, environment);
  if (options.dryRun) {
    await cdk.diff(stage, plan.settings.kept);
    report.untouched();
    return;
  }
  if (terminal && !/^y(es)?$/i.test(await terminal.ask('Do this? [y/N] '))) {
    throw new UsageError('nothing was done');
  }

  const ports: SetupPorts = {
    writeSettings: (kept) => writeSettings(settingsFolder, stage, kept),
    makeSecret: secrets.make,
    putSecret: secrets.put,
    readSecret: secrets.get,
    makeChannelKey,
    makeLinkKey: () => randomBytes(32).toString('base64url'),
    makeInstantKey: instantKeyOf,
    bootstrap: cdk.bootstrap,
    protectTable: tables.protect,
    adoptTable: (name, before) => adoptTable(dynamodb, { name, before, now: Date.now() }),
    unprotectStack: () => stacks.unprotect(`floorwatch-${stage}`),
    deploy: (creates) => cdk.deploy(stage, settingsFolder, creates),
    keysIn: (tableName) => ({
      keys: createApiKeyStore(createDynamoTable(dynamodb, tableName, tableRuntime)),
      now: Date.now(),
      random: () => randomBytes(32),
      entryOf: () => undefined,
    }),
    keepCanary: async (tableName) => {
      const table = createDynamoTable(dynamodb, tableName, tableRuntime);
      const cadenceMinutes = plan.stage.pollCadenceMinutes;
      const queue = canaryQueueArn(identity, stage);
      try {
        await keepCanary({ table, now: Date.now, cadenceMinutes, queue });
      } catch (error) {
        // A role of CI deploys, and writes to no table.
        if (!(error instanceof Error) || error.name !== 'AccessDeniedException') throw error;
        report.canaryLeft();
      }
    },
    report: report.step,
    reportAdoption: report.adopted,
  };
  report.ready(plan.stage, await setUp(ports, plan, answers, tenant));
}

async function instantKeyOf(baseUrl: string): Promise<InstantKey> {
  const http = createHttpClient({ deadlineMs: 10_000, maxBodyBytes: 65_536, maxConnections: 1 });
  const settings = { http, baseUrl, now: Date.now };
  const made = await makeInstantKey(settings, AbortSignal.timeout(15_000));
  if (made.kind === 'ok') return made.value;
  const { reason } = refusalInWords(made.kind, 'reason' in made ? made.reason : undefined);
  throw new UsageError(
    `OpenSea made no key: ${reason}. It makes a few an hour for an address; give your own with --upstream-key-from`,
  );
}

function canaryQueueArn({ arn, account, region }: Identity, stage: string): string {
  const [, partition] = arn.split(':');
  return `arn:${partition}:sqs:${region}:${account}:${canaryQueue(stage)}`;
}

async function askStage(terminal: Terminal | undefined): Promise<string> {
  if (terminal === undefined) throw new UsageError('give --stage <name>');
  return checked('--stage', StageName, (await terminal.ask('Stage [dev]: ')) || 'dev');
}

async function secretOf<Schema extends z.ZodType>(
  option: string,
  source: SecretSource | undefined,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  if (source === undefined) return undefined;
  const surroundings = { environment, stdin: stdin.isTTY ? undefined : stdin };
  return checked(option, schema, await readSecret(source, surroundings));
}
