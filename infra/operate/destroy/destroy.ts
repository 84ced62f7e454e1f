import { existsSync } from 'node:fs';
import { stderr, stdin } from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SNSClient } from '@aws-sdk/client-sns';
import { SSMClient } from '@aws-sdk/client-ssm';
import * as z from 'zod';
import { createReader } from '#infra/command-line/create-reader.ts';
import { flag, option, text } from '#infra/command-line/options.ts';
import { runCommand } from '#infra/command-line/run-command.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { createCloudStacks } from '#infra/operate/account/cloud-stacks.ts';
import { expectHome, identify } from '#infra/operate/account/identify.ts';
import { createListTopics } from '#infra/operate/account/list-topics.ts';
import { createSecureStrings } from '#infra/operate/account/secure-strings.ts';
import { createStageTables } from '#infra/operate/account/stage-tables.ts';
import { StageName, settingsOption } from '#infra/operate/stack-option.ts';
import { createTerminal } from '#infra/operate/terminal.ts';
import { readSettings, removeSettings, settingsFile } from '#infra/stack/settings.ts';
import { findStage } from '#infra/stack/stages.ts';
import {
  type DestroyPorts,
  destroyStage,
  expectAgreed,
  findStageParts,
  isNothing,
} from './destroy-stage.ts';
import { reportInJson, reportInWords } from './report.ts';

const read = createReader({
  name: 'npm run destroy --',
  description:
    "Deletes a deployed stage: its stack, the topics that it made at run time, its secrets in SSM and its settings. Lists them first, and asks for the stage's name. Repeat the command if it was interrupted.",
  options: z.object({
    stage: option('name', 'the stage', StageName),
    region: option('name', 'its region, if its settings have none', text),
    leaveData: flag(
      'needed for a stage that retains its data: keep its table, the key that opens the secrets in it, and the settings',
    ),
    settings: settingsOption,
    yes: option('name', "do not ask; give the stage's name again", text),
    json: flag('JSON lines: account, found, step, left'),
  }),
  notes: "CDK's bucket and roles in the account stay: other stacks may need them.",
});

await runCommand(read, async ({ settings: settingsFolder, leaveData, ...options }, printer) => {
  const { yes } = options;
  if (yes !== undefined && yes !== options.stage) {
    throw new UsageError(
      `--yes ${yes} does not match --stage ${options.stage}: give the same name twice`,
    );
  }
  if (yes === undefined && !stdin.isTTY) {
    throw new UsageError(
      `without a terminal there is no confirmation: give --yes ${options.stage}`,
    );
  }
  const report = (options.json ? reportInJson : reportInWords)(printer);
  const settings = readSettings(settingsFolder, options.stage);
  const stage = findStage(options.stage, settings ?? {});
  const identity = await identify(options.region ?? stage.deployedTo?.region);
  report.account(identity);
  expectHome(stage.name, stage.deployedTo, identity);

  const { region } = identity;
  const ports: DestroyPorts = {
    stacks: createCloudStacks(new CloudFormationClient({ region })),
    topics: createListTopics(new SNSClient({ region })),
    secrets: createSecureStrings(new SSMClient({ region })),
    tables: createStageTables(new DynamoDBClient({ region })),
    hasSettings: () => existsSync(settingsFile(settingsFolder, stage.name)),
    removeSettings: () => removeSettings(settingsFolder, stage.name),
    wait: setTimeout,
    report: report.step,
  };
  const remains = await findStageParts(ports, stage);
  report.found(stage.name, remains);
  if (isNothing(remains)) return;
  expectAgreed(remains, stage, leaveData);
  if (yes === undefined) await expectName(stage.name);
  report.left(stage.name, await destroyStage(ports, stage, remains));
});

/** Asks for the stage's name; throws on any other answer. */
async function expectName(stage: string): Promise<void> {
  const terminal = createTerminal(stdin, stderr);
  try {
    const answer = await terminal.ask("Type the stage's name to delete it: ");
    if (answer !== stage) throw new UsageError('nothing was done');
  } finally {
    terminal.close();
  }
}
