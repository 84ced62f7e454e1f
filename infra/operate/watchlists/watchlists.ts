import process, { env } from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { runCommand } from '#infra/command-line/run-command.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { interfaceUrl } from '#infra/operate/account/interface-url.ts';
import { theLocalStack } from '#infra/operate/local-stacks.ts';
import { createInterface, InterfaceError } from './interface.ts';
import { runWatchlists } from './run-watchlists.ts';
import { KEY_VARIABLE, readWatchlistsOptions } from './watchlists-options.ts';

await runCommand(
  readWatchlistsOptions,
  async (options, printer) => {
    const { [KEY_VARIABLE]: key } = env;
    if (!key) {
      throw new UsageError(`set ${KEY_VARIABLE} to a key with the scopes read and write`);
    }
    const stack = options.stack ?? (await theLocalStack());
    const url = stack.kind === 'local' ? stack.url : await interfaceUrl(stack);
    const http = createInterface({ url, key, wait: setTimeout });
    process.exitCode = await runWatchlists(http, options, env, printer);
  },
  {
    inWords: (error) => (error instanceof InterfaceError ? error.message : String(error)),
    exitCodeOfMistake: 1,
  },
);
