import { readSettings, SETTINGS_FOLDER } from '#infra/stack/settings.ts';
import type { Settings } from '#infra/stack/stages.ts';
import { orUsageError, UsageError } from './usage-error.ts';

/** A stack as a command line names it. */
export type Stack =
  | {
      readonly kind: 'deployed';
      readonly stage: string;
      /** The stage's settings file; undefined where this checkout has none. */
      readonly settings: Settings | undefined;
    }
  /** A stack of `npm start`, by the URL of its interface. */
  | { readonly kind: 'local'; readonly url: string };

/** The options that name a stack. */
export const stackOptions = {
  stage: { type: 'string' },
  local: { type: 'string' },
  settings: { type: 'string', default: SETTINGS_FOLDER },
} as const;

/** The help text of those options, except `--local`. */
export const stageHelp = `  --stage NAME     a deployed stage, with the AWS credentials of the environment; the region is
                   that of its settings, or else that of the environment
  --settings FOLDER  the folder of the stages' settings (default ${SETTINGS_FOLDER})`;

/** The stack that `--stage` or `--local` names; undefined without either option. */
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
    throw new UsageError(`--local ${local} is no URL; give the address that npm start printed`);
  }
  if (stage === undefined) return local === undefined ? undefined : { kind: 'local', url: local };
  const name = readStageName(stage);
  const known = orUsageError(() => readSettings(settings, name));
  return { kind: 'deployed', stage: name, settings: known };
}

/** The validated value of `--stage`. */
export function readStageName(stage: string): string {
  if (/^[a-z][a-z0-9]*$/.test(stage)) return stage;
  throw new UsageError(`--stage ${stage} is no stage name; give a lower-case word such as dev`);
}

/** The region option of AWS clients; empty, for the environment's region, without settings. */
export function regionOf({ settings }: { readonly settings: Settings | undefined }): {
  readonly region?: string;
} {
  const region = settings?.deployedTo?.region;
  return region === undefined ? {} : { region };
}
