import { readSettings, SETTINGS_FOLDER } from '#infra/settings.ts';
import type { Settings } from '#infra/stages.ts';
import { orUsageError, UsageError } from './usage-error.ts';

/** A stack as a command line names it. */
export type Stack =
  | {
      readonly kind: 'deployed';
      readonly stage: string;
      /** What its deployment says of itself; undefined where none was made from here. */
      readonly settings: Settings | undefined;
    }
  /** One that `npm start` runs, by the address of its interface. */
  | { readonly kind: 'local'; readonly url: string };

/** The options that name a stack. */
export const stackOptions = {
  stage: { type: 'string' },
  local: { type: 'string' },
  settings: { type: 'string', default: SETTINGS_FOLDER },
} as const;

/** What `--help` says of them. */
export const stageHelp = `  --stage NAME     a deployed stage, with the AWS credentials of the environment, in the region
                   that its settings say, or else the environment
  --settings FOLDER  where the settings of stages are kept (${SETTINGS_FOLDER} if left out)`;

/** The stack that `--stage` or `--local` names; undefined where neither was given. */
export function readStack({
  stage,
  local,
  settings,
}: {
  readonly stage?: string | undefined;
  readonly local?: string | undefined;
  readonly settings: string;
}): Stack | undefined {
  if (stage !== undefined && local !== undefined) {
    throw new UsageError('give either --stage NAME or --local URL');
  }
  if (local !== undefined && !URL.canParse(local)) {
    throw new UsageError(`--local must be the address that npm start printed, not ${local}`);
  }
  if (stage === undefined) return local === undefined ? undefined : { kind: 'local', url: local };
  const name = readStageName(stage);
  const known = orUsageError(() => readSettings(settings, name));
  return { kind: 'deployed', stage: name, settings: known };
}

/** The name of a stage, as `--stage` gives it. */
export function readStageName(stage: string): string {
  if (/^[a-z][a-z0-9]*$/.test(stage)) return stage;
  throw new UsageError(`--stage must be the name of a stage such as dev, not ${stage}`);
}

/**
 * What reports a client of AWS where a deployed stack is; the environment does where its stage does
 * not.
 */
export function regionOf({ settings }: { readonly settings: Settings | undefined }): {
  readonly region?: string;
} {
  const region = settings?.deployedTo?.region;
  return region === undefined ? {} : { region };
}
