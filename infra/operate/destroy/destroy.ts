import { existsSync } from 'node:fs';
import { argv, exit, stderr, stdin, stdout } from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { SNSClient } from '@aws-sdk/client-sns';
import { SSMClient } from '@aws-sdk/client-ssm';
import { createCloudStacks } from '#infra/operate/account/cloud-stacks.ts';
import { expectHome, identify } from '#infra/operate/account/identify.ts';
import { createListTopics } from '#infra/operate/account/list-topics.ts';
import { createSecureStrings } from '#infra/operate/account/secure-strings.ts';
import { createTerminal } from '#infra/operate/terminal.ts';
import { UsageError } from '#infra/operate/usage-error.ts';
import { readSettings, removeSettings, settingsFile } from '#infra/stack/settings.ts';
import { findStage } from '#infra/stack/stages.ts';
import { help, readDestroyOptions } from './destroy-options.ts';
import {
  type DestroyPorts,
  destroyStage,
  expectAgreed,
  findStageParts,
  isNothing,
} from './destroy-stage.ts';
import { reportInJson, reportInWords } from './report.ts';

/** `npm run destroy`; `help` lists its exit codes. */
async function start(): Promise<void> {
  const options = readDestroyOptions(argv.slice(2));
  if (!options) {
    stdout.write(help);
    return;
  }
  const { settingsFolder, leaveData } = options;
  if (options.yes === undefined && !stdin.isTTY) {
    throw new UsageError(
      `without a terminal there is no confirmation: give --yes ${options.stage}`,
    );
  }
  const report = (options.json ? reportInJson : reportInWords)((text) => stdout.write(text));
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
    hasSettings: () => existsSync(settingsFile(settingsFolder, stage.name)),
    removeSettings: () => removeSettings(settingsFolder, stage.name),
    wait: setTimeout,
    report: report.step,
  };
  const remains = await findStageParts(ports, stage);
  report.found(stage.name, remains);
  if (isNothing(remains)) return;
  expectAgreed(remains, stage, leaveData);
  if (options.yes === undefined) await expectName(stage.name);
  report.left(stage.name, await destroyStage(ports, stage, remains));
}

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

try {
  await start();
} catch (error) {
  const isUsage = error instanceof UsageError;
  stderr.write(`${isUsage ? error.message : String(error)}\n`);
  exit(isUsage ? 2 : 1);
}
