import { parseArgs } from 'node:util';
import { readStageName } from '#infra/operate/stack-option.ts';
import { orUsageError, UsageError } from '#infra/operate/usage-error.ts';
import { SETTINGS_FOLDER } from '#infra/stack/settings.ts';

/** The command line of `npm run destroy`. */
export type DestroyOptions = {
  readonly stage: string;
  readonly region: string | undefined;
  readonly settingsFolder: string;
  readonly leaveData: boolean;
  /** The stage's name, repeated as a confirmation. */
  readonly yes: string | undefined;
  readonly json: boolean;
};

export const help = `npm run destroy -- --stage NAME [options]

Deletes a deployed stage: its stack, the topics that it made at run time, its secrets in SSM and its
settings. Lists them first, and asks for the stage's name. Repeat the command if it was interrupted.

  --stage NAME       the stage
  --region NAME      its region, if its settings have none
  --leave-data       needed for a stage that retains its data: keep its table, the key that opens
                     the secrets in it, and the settings
  --settings FOLDER  the folder of the stages' settings (default ${SETTINGS_FOLDER})
  --yes NAME         do not ask; NAME must be the stage's name
  --json             JSON lines: account, found, step, left
  --help             this text

CDK's bucket and roles in the account stay: other stacks may need them.
Exit codes: 0 done, 2 a mistake that you can mend, 1 failure.
`;

/** Reads the command line; undefined for `--help`. */
export function readDestroyOptions(args: readonly string[]): DestroyOptions | undefined {
  const given = readArguments(args);
  if (given.help) return undefined;
  const { region, settings, yes, json } = given;
  if (given.stage === undefined) throw new UsageError('give --stage NAME');
  const stage = readStageName(given.stage);
  if (yes !== undefined && yes !== stage) {
    throw new UsageError(`--yes ${yes} does not match --stage ${stage}: give the same name twice`);
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
