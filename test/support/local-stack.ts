import { spawn } from 'node:child_process';
import { env } from 'node:process';
import { createInterface } from 'node:readline';
import type { LiveCollection } from '#infra/local/live/live-collection.ts';
import type { Notification } from '#infra/local/mailbox.ts';
import type { Alert } from '#shared/domain/alerting/alert.ts';

/** One line of `npm start -- --json`. */
type LocalEvent =
  | {
      readonly event: 'ready';
      readonly url: string;
      readonly apiKey: string;
      readonly neighbourKey: string;
    }
  | ({ readonly event: 'collection' } & LiveCollection)
  | { readonly event: 'alert'; readonly alert: Alert }
  | { readonly event: 'notification'; readonly notification: Notification }
  | { readonly event: 'refused'; readonly reason: string }
  | { readonly event: 'end'; readonly deadLetters: Readonly<Record<string, number>> };

/**
 * The stack of `npm start` in a separate process that ends with the test. The error output of the
 * stack is shown, or stored as the log of its functions (`--verbose`). `checkout` runs the code of
 * another checkout.
 */
export function startLocalStack(
  args: readonly string[],
  errors: 'shown' | 'log' = 'shown',
  environment: NodeJS.ProcessEnv = env,
  checkout?: string,
) {
  const child = spawn(process.execPath, ['infra/local/start.ts', '--json', ...args], {
    ...{ env: environment, cwd: checkout },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, so that a kill also ends the process that synthesizes the stack.
    detached: true,
  });
  const log: string[] = [];
  if (errors === 'shown') child.stderr.pipe(process.stderr);
  else createInterface({ input: child.stderr }).on('line', (line) => log.push(line));
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const events = (async function* () {
    for await (const line of createInterface({ input: child.stdout })) {
      yield JSON.parse(line) as LocalEvent;
    }
  })();
  return {
    /** The lines as they arrive, for a single reader. */
    events,
    exited,
    log: (): readonly string[] => log,
    /** Kills the stack abruptly, as a power failure would. */
    kill: () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
