import * as z from 'zod';
import { createReader } from '#infra/command-line/create-reader.ts';
import { argument, flag, option, subcommand } from '#infra/command-line/options.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { readStack, StageName, settingsOption } from '#infra/operate/stack-option.ts';
import { Deletes } from './plan-changes.ts';

/** The command line of `npm run watchlists`. */
export type WatchlistsOptions = NonNullable<ReturnType<typeof readWatchlistsOptions>>;

export const KEY_VARIABLE = 'FLOORWATCH_API_KEY';
export const DIFFERENT = 2;

const shared = {
  directory: argument('holds channels.yaml and the folder watchlists', z.string()),
  url: option(
    'url',
    'the address of the interface, as setup or npm start printed it (default: the running stack of this checkout)',
    z.url('expected an address, https://…').optional(),
  ),
  stage: option(
    'name',
    'a deployed stage in place of an address, which AWS is asked for with the credentials of the environment',
    StageName.optional(),
  ),
  settings: settingsOption,
  json: flag('JSON lines: change, extra, problem, file, unreadable, variable'),
};

const changing = {
  ...shared,
  delete: option(
    'what',
    'parts: of lists, contracts, rules and channels that their files lack; all: also lists and contact points that the directory lacks (default: nothing is deleted)',
    Deletes.optional(),
  ),
};

const read = createReader({
  name: 'npm run watchlists --',
  description: `Watchlists as files: watchlists/<id>.yaml for each list, channels.yaml for the contact points of the tenant; .yml and .json will do. What a directory has no file or folder for is left alone. The key is in the variable ${KEY_VARIABLE}; diff and apply need the scopes read and write.`,
  options: z.discriminatedUnion('command', [
    subcommand(
      'diff',
      'show what apply would do; the interface checks all, and changes nothing',
      changing,
    ),
    subcommand('apply', 'make lists and contact points what the files say', changing),
    subcommand('export', 'write what the tenant has into a new directory', shared),
  ]),
  notes: `\${NAME} in a channel is the variable of that name: no secret is in a file.
Somebody who changes a list while it is applied wins: it is left as it is, and apply fails.`,
  exitCodes: `0 done, or no difference, ${DIFFERENT} diff found differences, 1 failure`,
});

export function readWatchlistsOptions(args: readonly string[]) {
  const given = read(args);
  if (given === undefined) return undefined;
  const { url, stage, settings, ...options } = given;
  if (url !== undefined && stage !== undefined) {
    throw new UsageError('give either --stage <name> or --url <url>');
  }
  return { ...options, stack: readStack({ stage, settings, local: url }) };
}
