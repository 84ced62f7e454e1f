import { parseArgs } from 'node:util';
import { readStageName } from '#infra/operate/stack-option.ts';
import { orUsageError, UsageError } from '#infra/operate/usage-error.ts';
import { SETTINGS_FOLDER } from '#infra/settings.ts';

/** What `npm run destroy` was asked to do. */
export type DestroyOptions = {
  readonly stage: string;
  readonly region: string | undefined;
  readonly settingsFolder: string;
  readonly leaveData: boolean;
  /** The stage's name once more, from somebody who means it. */
  readonly yes: string | undefined;
  readonly json: boolean;
};

export const help = `npm run destroy -- --stage NAME [options]

Deletes a deployed stage: its stack, the topics that it made at run time, its secrets in SSM and its
settings. It says what there is, and asks for the stage's name first. It may be repeated, also when
it was cut short.

  --stage NAME       which one
  --region NAME      where it is, if its settings do not say it
  --leave-data       of a stage that retains its data: delete the stack, and leave its table, the key
                     that opens the secrets in there, and the settings
  --settings FOLDER  where the settings of stages are kept (${SETTINGS_FOLDER} if left out)
  --yes NAME         do it without asking, if that is the stage's name
  --json             JSON lines: account, found, step, left
  --help             this text

What CDK has put into the account stays, as other stacks may need it.
Ends with 0 when it is done, with 2 for what you can mend, and with 1 for a failure.
`;

/** Reads the command line; `undefined` when only the help is asked for. */
export function readDestroyOptions(args: readonly string[]): DestroyOptions | undefined {
  const given = readArguments(args);
  if (given.help) return undefined;
  const { region, settings, yes, json } = given;
  if (given.stage === undefined) throw new UsageError('give --stage NAME');
  const stage = readStageName(given.stage);
  if (yes !== undefined && yes !== stage) {
    throw new UsageError(`--yes ${yes} is not the stage that --stage names, ${stage}`);
  }
  const leaveData = given['leave-data'];
  return { stage, region, settingsFolder: settings, leaveData, yes, json };
}

function readArguments(args: readonly string[]) {
  return orUsageError(
    () =>
      parseArgs({
        args: [...args],
        options: {
          stage: { type: 'string' },
          region: { type: 'string' },
          'leave-data': { type: 'boolean', default: false },
          settings: { type: 'string', default: SETTINGS_FOLDER },
          yes: { type: 'string' },
          json: { type: 'boolean', default: false },
          help: { type: 'boolean', default: false },
        },
      }).values,
  );
}
