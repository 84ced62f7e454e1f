import { env } from 'node:process';
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { argument, option, subcommand } from '#infra/command-line/options.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { createInterface, type Interface, KEY_VARIABLE } from '#infra/operate/interface.ts';
import { openStack } from '#infra/operate/stack.ts';
import { target } from '#infra/operate/target.ts';
import { defineVerb, type Ending } from '#infra/operate/verb.ts';
import { applyPlan, comparePlan } from './apply-plan.ts';
import { readDirectory } from './directory.ts';
import { exportLists } from './export-lists.ts';
import { Deletes, planChanges } from './plan-changes.ts';
import { inWords, type WatchlistsEvent } from './report.ts';
import type { Variables } from './secrets.ts';

const shared = {
  directory: argument('the folder with channels.yaml and the subfolder watchlists', z.string()),
  ...target,
};

const changing = {
  ...shared,
  delete: option(
    'what',
    '"parts" deletes contracts, rules and channels that are missing from the file of their list; "all" also deletes lists and contact points that are missing from the directory (default: nothing is deleted)',
    Deletes.optional(),
  ),
};

const options = z.discriminatedUnion('command', [
  subcommand(
    'diff',
    'show what apply would do; the API checks the changes without making them',
    changing,
  ),
  subcommand('apply', 'change lists and contact points to match the files', changing),
  subcommand(
    'export',
    'write all lists and contact points of the tenant into a new directory',
    shared,
  ),
]);
type Options = z.output<typeof options>;

export const verb = defineVerb<Options, WatchlistsEvent>({
  name: 'watchlists',
  description: `Manages watchlists as files: watchlists/<id>.yaml for each list, channels.yaml for the contact points of the tenant. The extensions .yml and .json work, too. Without channels.yaml, contact points are not changed; without the folder watchlists, lists are not changed. The API key is read from the variable ${KEY_VARIABLE}; diff and apply need the scopes read and write.`,
  options,
  notes: `\${NAME} in a channel is replaced by the environment variable NAME, so files contain no secrets.
If somebody changes a list during the run, apply leaves that list unchanged, and fails.`,
  found: 'diff found differences',
  inWords,
  run: async (given, report) => {
    const { [KEY_VARIABLE]: key } = env;
    if (!key) throw new UsageError(`set ${KEY_VARIABLE} to a key with the scopes read and write`);
    const url = await (await openStack(given)).url();
    const http = createInterface({ url, key, wait: setTimeout });
    return await runWatchlists(http, given, env, report);
  },
});

/** Runs a subcommand over the API of a stack. */
export async function runWatchlists(
  http: Interface,
  given: Options,
  variables: Variables,
  report: (event: WatchlistsEvent) => void,
): Promise<Ending> {
  const { directory } = given;
  if (given.command === 'export') {
    await exportLists(http, directory, report);
    return 'done';
  }
  const plan = await planChanges(http, await readDirectory(directory, variables));
  for (const problem of plan.problems) report({ event: 'problem', ...problem });
  if (given.command === 'diff') {
    const isSame = comparePlan(plan, given.delete, report);
    if (plan.problems.length > 0) return 'failed';
    return isSame ? 'done' : 'found';
  }
  if (plan.problems.length > 0) {
    report({ event: 'untouched' });
    return 'failed';
  }
  return (await applyPlan(http, plan, given.delete, report)) ? 'done' : 'failed';
}
