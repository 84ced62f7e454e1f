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

/**
 * The one-line summary of a verb, and a function that loads its module. Verbs are loaded on demand,
 * because some load CDK.
 */
type Entry = readonly [summary: string, load: () => Promise<Loaded>];

const VERBS: Readonly<Record<string, Entry>> = {
  setup: ['deploy a stage, or upgrade it', () => import('./setup/setup.ts')],
  status: ['report the state of a stack and its problems', () => import('./status/status.ts')],
  keys: ['create, list, rotate and revoke API keys', () => import('./keys/keys.ts')],
  watchlists: ['manage watchlists as files', () => import('./watchlists/watchlists.ts')],
  import: ['load floors, trades and tokens into the archive', () => import('./import/import.ts')],
  redrive: ['list dead letters, and move them back to their queues', () => import('./redrive.ts')],
  probe: [
    'compare real services with the assumptions of floorwatch',
    () => import('./probe/probe.ts'),
  ],
  restore: [
    'restore an earlier state of a table into a new table',
    () => import('./restore/restore.ts'),
  ],
  destroy: ['delete a stage', () => import('./destroy/destroy.ts')],
};

const names = Object.keys(VERBS);
const USAGE = `Usage: npm run operate -- COMMAND [options]

Deploys and operates stacks of floorwatch. Commands:

${Object.entries(VERBS)
  .map(([name, [summary]]) => `  ${name.padEnd(12)}${summary}\n`)
  .join('')}
To show the options of a command: npm run operate -- COMMAND --help

Exit codes: 0 success, 1 failure, 2 invalid input or settings, 3 the command found problems, differences or bad lines.
`;

await runCommand(
  (args) => {
    const [name, ...rest] = args;
    if (name === undefined) throw new UsageError(`expected a command: ${names.join(', ')}`);
    if (name === '--help') {
      stdout.write(USAGE);
      return undefined;
    }
    const entry = ownMember(VERBS, name);
    if (entry !== undefined) return { load: entry[1], rest };
    throw new UsageError(
      `unknown command "${name}"; ${meantInstead(name, names)} (--help lists all commands)`,
    );
  },
  async ({ load, rest }, printer) => (await load()).verb.main(rest, printer),
  { inWords: (error) => (error instanceof InterfaceError ? error.message : String(error)) },
);
