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
    'a deployed stage in place of an address; its address is read from AWS with the credentials of the environment',
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
  description: `Watchlists as files: watchlists/<id>.yaml for each list, channels.yaml for the contact points of the tenant. The endings .yml and .json work, too. Without channels.yaml contact points stay as they are, and without the folder watchlists lists do. The key is in the variable ${KEY_VARIABLE}; diff and apply need the scopes read and write.`,
  options: z.discriminatedUnion('command', [
    subcommand(
      'diff',
      'show what apply would do; the interface checks everything and changes nothing',
      changing,
    ),
    subcommand('apply', 'change lists and contact points to match the files', changing),
    subcommand(
      'export',
      'write all lists and contact points of the tenant into a new directory',
      shared,
    ),
  ]),
  notes: `\${NAME} in a channel is the variable of that name: no secret is in a file.
If somebody changes a list in the meantime, apply leaves that list as it is and fails.`,
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
