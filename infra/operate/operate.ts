import { stdout } from 'node:process';
import type { Printer } from '#infra/command-line/printer.ts';
import { runCommand } from '#infra/command-line/run-command.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { meantInstead } from '#shared/domain/nearest.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { InterfaceError } from './interface.ts';

type Loaded = {
  readonly verb: {
    readonly main: (args: readonly string[], printer: Printer) => Promise<void>;
  };
};

/** Each verb is loaded when it is called: some need clients of AWS, and CDK. */
const VERBS: Readonly<
  Record<string, { readonly summary: string; readonly load: () => Promise<Loaded> }>
> = {
  setup: {
    summary: 'deploy a stage, or upgrade it',
    load: () => import('./setup/setup.ts'),
  },
  status: {
    summary: 'report the state of a stack, and what to do about each trouble',
    load: () => import('./status/status.ts'),
  },
  keys: {
    summary: 'create, list, rotate and revoke API keys',
    load: () => import('./keys/keys.ts'),
  },
  watchlists: {
    summary: 'compare watchlists with files, apply the files, export lists into files',
    load: () => import('./watchlists/watchlists.ts'),
  },
  import: {
    summary: 'load floors, trades and tokens into the archive',
    load: () => import('./import/import.ts'),
  },
  redrive: {
    summary: 'list dead letters, and move them back to their queues',
    load: () => import('./redrive.ts'),
  },
  probe: {
    summary: 'compare real services with the assumptions of floorwatch',
    load: () => import('./probe/probe.ts'),
  },
  restore: {
    summary: 'restore the table of a stage into a new table',
    load: () => import('./restore/restore.ts'),
  },
  destroy: {
    summary: 'delete a stage',
    load: () => import('./destroy/destroy.ts'),
  },
};

const names = Object.keys(VERBS);
const USAGE = `Usage: npm run operate -- VERB [options]

Operates stacks of floorwatch. Verbs:

${names.map((name) => `  ${name.padEnd(12)}${VERBS[name]?.summary}\n`).join('')}
The options of a verb: npm run operate -- VERB --help

Exit codes: 0 done, 3 found what a verb looks for (trouble, differences, bad lines), 2 a mistake that you can correct, 1 failure.
`;

await runCommand(
  (args) => {
    const [name, ...rest] = args;
    if (name === undefined) throw new UsageError(`give a verb: ${names.join(', ')}`);
    if (name === '--help') {
      stdout.write(USAGE);
      return undefined;
    }
    const verb = ownMember(VERBS, name);
    if (verb !== undefined) return { verb, rest };
    throw new UsageError(`unknown verb "${name}"; ${meantInstead(name, names)} --help lists all`);
  },
  async ({ verb, rest }, printer) => (await verb.load()).verb.main(rest, printer),
  { inWords: (error) => (error instanceof InterfaceError ? error.message : String(error)) },
);
