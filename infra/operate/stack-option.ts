import * as z from 'zod';
import { option, text } from '#infra/command-line/options.ts';
import { orUsageError, UsageError } from '#infra/command-line/usage-error.ts';
import { readSettings, SETTINGS_FOLDER } from '#infra/stack/settings.ts';
import type { Settings } from '#infra/stack/stages.ts';

export type DeployedStack = {
  readonly kind: 'deployed';
  readonly stage: string;
  /** The stage's settings file; undefined where this checkout has none. */
  readonly settings: Settings | undefined;
};

/** A stack as a command line names it. */
export type Stack =
  | DeployedStack
  /** A stack of `npm start`, by the URL of its interface. */
  | { readonly kind: 'local'; readonly url: string };

export const StageName = z
  .string()
  .regex(/^[a-z][a-z0-9]*$/, 'expected a lower-case word such as dev');

export const settingsOption = option(
  'folder',
  "the folder of the stages' settings",
  z.string().default(SETTINGS_FOLDER),
);

const LocalUrl = z.url('expected the address that npm start printed').optional();

/** The options that name a stack. */
export const stackOptions = {
  local: option('url', 'a stack of npm start, by the address that it printed', LocalUrl),
  stage: option(
    'name',
    'a deployed stage, with the AWS credentials of the environment; the region is that of its settings, or else that of the environment',
    StageName.optional(),
  ),
  settings: settingsOption,
};

/** The stack that `--stage` or `--local` names; undefined without either option. */
export function readStack({ stage, local, settings }: Given): Stack | undefined {
  if (stage !== undefined && local !== undefined) {
    throw new UsageError('give either --stage <name> or --local <url>');
  }
  if (local !== undefined) return { kind: 'local', url: local };
  if (stage === undefined) return undefined;
  return readDeployedStack(stage, settings);
}

/** A deployed stage, with its settings in a folder. */
export function readDeployedStack(stage: string, folder: string): DeployedStack {
  return { kind: 'deployed', stage, settings: orUsageError(() => readSettings(folder, stage)) };
}

type Given = z.output<z.ZodObject<typeof stackOptions>>;

export type StackTableOptions = {
  /** Undefined for the running stack of this checkout. */
  readonly stack: Stack | undefined;
  /** The name of a deployed table; needed where a stage has several. */
  readonly table: string | undefined;
};

/** The options that name the table of a stack. */
export const tableOptions = {
  ...stackOptions,
  local: option(
    'url',
    'a stack of npm start, by the address that it printed (default: the running stack of this checkout)',
    LocalUrl,
  ),
  table: option('name', "the stage's table, if it has several", text),
};

/** The table that they name. */
export function readTable({
  table,
  ...given
}: z.output<z.ZodObject<typeof tableOptions>>): StackTableOptions {
  const stack = readStack(given);
  if (table !== undefined && stack?.kind !== 'deployed') {
    throw new UsageError('--table goes with --stage');
  }
  return { stack, table };
}

/** The region option of AWS clients; empty, for the environment's region, without settings. */
export function regionOf({ settings }: { readonly settings: Settings | undefined }): {
  readonly region?: string;
} {
  const region = settings?.deployedTo?.region;
  return region === undefined ? {} : { region };
}
