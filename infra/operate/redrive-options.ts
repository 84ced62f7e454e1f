import { parseArgs } from 'node:util';

/** What `npm run redrive` was asked to do. */
export type RedriveOptions = {
  readonly stack:
    | { readonly kind: 'deployed'; readonly stage: string }
    /** One that `npm start` runs, by the address of its interface. */
    | { readonly kind: 'local'; readonly url: string };
  /** Part of the names of the queues that are meant; all if left out. */
  readonly queue: string | undefined;
  readonly dryRun: boolean;
  readonly json: boolean;
};

/** The command line asks for something that makes no sense. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code = 'usage';
}

export const help = `npm run redrive -- --stage NAME | --local URL [options]

Lists the dead letters of a stack, and moves them back to the queues that gave them up. Missed
ticks are only listed: the tick that came next has caught up with them.

  --stage NAME     a deployed stage, with the AWS credentials and the region of the environment
  --local URL      the stack that npm start runs, by the address that it printed
  --queue NAME     only the queues with that in their name, e.g. lists
  --dry-run        list, and move nothing
  --json           JSON lines: queue, moved
  --help           this text
`;

/** Reads the command line; `undefined` when only the help is asked for. */
export function readRedriveOptions(args: readonly string[]): RedriveOptions | undefined {
  const given = readArguments(args);
  if (given.help) return undefined;
  const { stage, local, queue, json } = given;
  if ((stage === undefined) === (local === undefined)) {
    throw new UsageError('give either --stage NAME or --local URL');
  }
  if (stage !== undefined && !/^[a-z][a-z0-9]*$/.test(stage)) {
    throw new UsageError(`--stage must be the name of a stage such as dev, not ${stage}`);
  }
  if (local !== undefined && !URL.canParse(local)) {
    throw new UsageError(`--local must be the address that npm start printed, not ${local}`);
  }
  const stack =
    stage === undefined
      ? { kind: 'local' as const, url: local ?? '' }
      : { kind: 'deployed' as const, stage };
  return { stack, queue, json, dryRun: given['dry-run'] };
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        stage: { type: 'string' },
        local: { type: 'string' },
        queue: { type: 'string' },
        'dry-run': { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(message, { cause: error });
  }
}
