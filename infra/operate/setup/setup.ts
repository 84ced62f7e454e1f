import { randomBytes } from 'node:crypto';
import process, { stderr, stdin } from 'node:process';
import type * as z from 'zod';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { openAccount } from '#infra/operate/account/account.ts';
import { type Identity, identify } from '#infra/operate/account/identify.ts';
import { keepCanary } from '#infra/operate/canary/keep-canary.ts';
import { createTerminal, type Terminal } from '#infra/operate/terminal.ts';
import { defineVerb } from '#infra/operate/verb.ts';
import { readSettings, settingsFile, writeSettings } from '#infra/stack/settings.ts';
import { canaryQueue, StageName } from '#infra/stack/stages.ts';
import { makeChannelKey } from '#shared/clients/channel-key.ts';
import { createHttpClient } from '#shared/clients/http-client.ts';
import { makePushKey } from '#shared/clients/push-key.ts';
import { apiKeyId } from '#shared/domain/access/api-key.ts';
import { refusalInWords } from '#shared/domain/polling/series-health.ts';
import type { InstantKey } from '#shared/providers/opensea/answers.ts';
import { makeInstantKey } from '#shared/providers/opensea/instant-key.ts';
import { tableRuntime } from '#shared/runtime/table-runtime.ts';
import { adoptTable } from '#shared/stores/adopt-table.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import { createDynamoTable } from '#shared/stores/dynamo-table.ts';
import { askOperator } from './ask-operator.ts';
import { createCdk } from './cdk.ts';
import { type Found, planSetup } from './plan-setup.ts';
import { inWords, type SetupEvent } from './report.ts';
import { type SetupPorts, setUp } from './set-up.ts';
import type { SetupAnswers } from './setup-answers.ts';
import { checked, options, readAnswers } from './setup-options.ts';

// biome-ignore lint/style/noProcessEnv: the AWS SDK and the CDK command use the environment
const environment = process.env;

export const verb = defineVerb<z.output<typeof options>, SetupEvent>({
  name: 'setup',
  description:
    'Deploys a stage of floorwatch, or upgrades it. Shows a plan and asks for confirmation. Keeps existing settings, secrets and data. Repeat the command if it was interrupted. In a terminal, the command asks for missing options; with --yes, missing options keep their current or default values.',
  options,
  notes: `A source is env:NAME, file:PATH, or - for the standard input, because secrets must not be command-line
arguments. Secrets are stored only in SSM, as SecureStrings. A stored secret changes only if you give a
new one.`,
  inWords,
  run: async (given, report) => {
    const answers = await readAnswers(given, {
      environment,
      stdin: stdin.isTTY ? undefined : stdin,
    });
    const isAsked = !given.yes && !given.dryRun;
    if (isAsked && !stdin.isTTY) {
      throw new UsageError('cannot ask for confirmation without a terminal: give --yes');
    }
    const terminal = isAsked ? createTerminal(stdin, stderr) : undefined;
    try {
      await setUpStage(given, answers, report, terminal);
    } finally {
      terminal?.close();
    }
    return 'done';
  },
});

async function setUpStage(
  { settings: folder, tenant, ...asked }: z.output<typeof options>,
  given: SetupAnswers,
  report: (event: SetupEvent) => void,
  terminal: Terminal | undefined,
): Promise<void> {
  const stage = asked.stage ?? (await askStage(terminal));
  const settings = readSettings(folder, stage);
  const identity = await identify(asked.region ?? settings?.deployedTo?.region);
  report({ event: 'account', ...identity });

  const account = openAccount(identity.region);
  const { secrets, stacks, tables, dynamodb } = account;
  const bootstrapVersion = await secrets.get('/cdk-bootstrap/hnb659fds/version');
  const inUse = await stacks.table(`floorwatch-${stage}`);
  const found: Found = {
    ...account,
    settings,
    secret: secrets.get,
    bootstrapVersion: bootstrapVersion === undefined ? undefined : Number(bootstrapVersion),
    stack: await stacks.find(`floorwatch-${stage}`),
    tables: {
      all: await tables.named(stage),
      inUse: inUse && { ...inUse, lacking: await tables.lacking(inUse.name) },
    },
  };
  const answers = terminal ? await askOperator(terminal, stage, given, found) : given;
  const plan = await planSetup(stage, identity, answers, found);
  report({ event: 'plan', settingsFile: settingsFile(folder, stage), ...plan });
  const cdk = createCdk(identity, environment);
  if (asked.dryRun) {
    await cdk.diff(stage, plan.settings.kept);
    report({ event: 'untouched' });
    return;
  }
  if (terminal && !/^y(es)?$/i.test(await terminal.ask('Apply this plan? [y/N] '))) {
    throw new UsageError('nothing was changed');
  }

  const ports: SetupPorts = {
    writeSettings: (kept) => writeSettings(folder, stage, kept),
    makeSecret: secrets.make,
    putSecret: secrets.put,
    readSecret: secrets.get,
    makeChannelKey,
    makePushKey,
    makeLinkKey: () => randomBytes(32).toString('base64url'),
    makeInstantKey: instantKeyOf,
    bootstrap: cdk.bootstrap,
    protectTable: tables.protect,
    adoptTable: (name, before) => adoptTable(dynamodb, { name, before, now: Date.now() }),
    unprotectStack: () => stacks.unprotect(`floorwatch-${stage}`),
    deploy: (creates) => cdk.deploy(stage, folder, creates),
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
        // The role of a CI pipeline may deploy, but not write to tables.
        if (!(error instanceof Error) || error.name !== 'AccessDeniedException') throw error;
        report({ event: 'canary_left' });
      }
    },
    report,
  };
  const { firstKey, ...deployed } = await setUp(ports, plan, answers, tenant);
  report({
    ...{ event: 'ready', stage: plan.stage, ...deployed },
    firstKey: firstKey
      ? { key: firstKey.key, id: apiKeyId(firstKey.record), tenant: firstKey.record.tenant }
      : null,
  });
}

async function instantKeyOf(baseUrl: string): Promise<InstantKey> {
  const http = createHttpClient({ deadlineMs: 10_000, maxBodyBytes: 65_536, maxConnections: 1 });
  const settings = { http, baseUrl, now: Date.now };
  const made = await makeInstantKey(settings, AbortSignal.timeout(15_000));
  if (made.kind === 'ok') return made.value;
  const { reason } = refusalInWords(made.kind, 'reason' in made ? made.reason : undefined);
  throw new UsageError(
    `OpenSea did not create a key: ${reason}. OpenSea creates only a few keys an hour for each IP address: give your own key with --upstream-key-from`,
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
