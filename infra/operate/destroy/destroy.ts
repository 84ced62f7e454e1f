import { existsSync } from 'node:fs';
import { stderr, stdin } from 'node:process';
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { flag, option, text } from '#infra/command-line/options.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { openAccount } from '#infra/operate/account/account.ts';
import { expectHome, identify, identityInWords } from '#infra/operate/account/identify.ts';
import { stageTarget } from '#infra/operate/target.ts';
import { createTerminal } from '#infra/operate/terminal.ts';
import { defineVerb } from '#infra/operate/verb.ts';
import { readSettings, removeSettings, settingsFile } from '#infra/stack/settings.ts';
import { findStage } from '#infra/stack/stages.ts';
import {
  type DestroyEvent,
  type DestroyPorts,
  destroyStage,
  expectAgreed,
  findStageParts,
  isNothing,
} from './destroy-stage.ts';

const options = z.object({
  ...stageTarget,
  region: option(
    'name',
    'the AWS region (default: the region in the settings, or else in the environment)',
    text,
  ),
  leaveData: flag(
    'keep the table, the channel and push keys, and the settings; required for a stage that retains its data',
  ),
  yes: option('name', 'skip the confirmation; the value must repeat the name of the stage', text),
});

export const verb = defineVerb<z.output<typeof options>, DestroyEvent>({
  name: 'destroy',
  description:
    "Deletes a deployed stage: its stack, the topics that it created at run time, its secrets in SSM and its settings. Lists them first, and asks for the stage's name. Repeat the command if it was interrupted.",
  options,
  notes: "CDK's bucket and roles in the account are kept, because other stacks may use them.",
  inWords: (event) => {
    switch (event.event) {
      case 'account':
        return identityInWords(event);
      case 'nothing':
        return `There is nothing to delete: the stage ${event.stage} has no stack, topics, secrets or settings.\n`;
      case 'found': {
        const { stage, stack, topics, secrets, hasSettings, retainsData } = event;
        const table = retainsData
          ? 'its table will be kept'
          : 'its table and all data will be deleted';
        return [
          `The stage ${stage} consists of:\n\n`,
          row('stack', stack === null ? 'none' : `floorwatch-${stage}, ${stack}; ${table}`),
          row('topics', `${topics.length} created at run time`),
          row('secrets', secrets.join(', ') || 'none'),
          row('settings', hasSettings ? 'a file' : 'none'),
          '\n',
        ].join('');
      }
      case 'step':
        return `${STEPS[event.step]}\n`;
      case 'waiting':
        return { passing: `  ${event.minutes} min` };
      case 'left':
        return [
          `\nThe stage ${event.stage} was deleted. These resources were kept:\n\n`,
          ...event.resources.map(({ type, id }) => row(type, id)),
          ...event.secrets.map((name) => row('secret', name)),
          row('CDK', 'its bucket and roles in this account and region; other stacks may use them'),
        ].join('');
    }
  },
  run: async ({ settings: folder, leaveData, ...given }, report) => {
    const { yes } = given;
    if (yes !== undefined && yes !== given.stage) {
      throw new UsageError(
        `--yes ${yes} does not match --stage ${given.stage}: give the same name to both`,
      );
    }
    if (yes === undefined && !stdin.isTTY) {
      throw new UsageError(
        `cannot ask for confirmation without a terminal: give --yes ${given.stage}`,
      );
    }
    const stage = findStage(given.stage, readSettings(folder, given.stage) ?? {});
    const identity = await identify(given.region ?? stage.deployedTo?.region);
    report({ event: 'account', ...identity });
    expectHome(stage.name, stage.deployedTo, identity);
    const ports: DestroyPorts = {
      ...openAccount(identity.region),
      hasSettings: () => existsSync(settingsFile(folder, stage.name)),
      removeSettings: () => removeSettings(folder, stage.name),
      wait: setTimeout,
      report,
    };
    const parts = await findStageParts(ports, stage);
    if (isNothing(parts)) {
      report({ event: 'nothing', stage: stage.name });
      return 'done';
    }
    report({ event: 'found', stage: stage.name, ...parts, stack: parts.stack?.status ?? null });
    expectAgreed(parts, stage, leaveData);
    if (yes === undefined) await expectName(stage.name);
    report({ event: 'left', stage: stage.name, ...(await destroyStage(ports, stage, parts)) });
    return 'done';
  },
});

/** Asks for the stage's name; throws on any other answer. */
async function expectName(stage: string): Promise<void> {
  const terminal = createTerminal(stdin, stderr);
  try {
    const answer = await terminal.ask("Type the stage's name to delete the stage: ");
    if (answer !== stage)
      throw new UsageError('this is not the name of the stage: nothing was deleted');
  } finally {
    terminal.close();
  }
}

function row(what: string, reported: string): string {
  return `  ${what.padEnd(10)}${reported}\n`;
}

const STEPS = {
  stack: 'Deleting the stack; this takes several minutes',
  topics: 'Deleting the topics that were created at run time',
  secrets: 'Deleting the secrets',
  settings: 'Deleting the settings',
} as const;
