import { mayHaveChanged } from '#shared/domain/outcome-unknown.ts';
import { ContactPointError } from '#shared/domain/watchlists/quota-usage.ts';
import { RefusedMembersError } from '#shared/domain/watchlists/refused-members.ts';
import { InjectedFaultError } from '#test/simulation/services/faults.ts';
import type { Invocation } from '#test/simulation/services/sandbox.ts';
import type { EventLog } from './event-log.ts';
import { createInstance, type FunctionsWorld, type Instance } from './functions.ts';

/** Runs functions without a limit on concurrency. */
export type Runner = {
  readonly run: (
    name: string,
    timeoutSeconds: number,
    work: (instance: Instance, by: Invocation) => Promise<unknown>,
    ended: (isDone: boolean) => void,
  ) => void;
  /**
   * Called when a function fails. Only an injected fault or a refused request is an accepted
   * reason.
   */
  readonly failed: (name: string, error: unknown) => void;
};

/** Runs each function in an idle instance, unless the last run of that instance died. */
export function createRunner(world: FunctionsWorld, { broken }: Pick<EventLog, 'broken'>): Runner {
  const idle = new Map<string, Instance[]>();
  let versions = 0;
  const newVersion = () => {
    versions += 1;
    return versions;
  };

  const failed = (name: string, error: unknown) => {
    if (error instanceof InjectedFaultError || mayHaveChanged(error)) return;
    // Requests may be refused because of their members, or because a contact point is in use.
    if (error instanceof RefusedMembersError || error instanceof ContactPointError) return;
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    broken('functions fail only because of injected faults', `${name}: ${text}`);
  };

  return {
    failed,

    run: (name, timeoutSeconds, work, ended) => {
      const pool = idle.get(name) ?? [];
      idle.set(name, pool);
      const instance = pool.pop() ?? createInstance(world, newVersion);
      world.sandboxes.start(
        name,
        timeoutSeconds,
        (by) => work(instance, by),
        (how, error) => {
          if (how !== 'died') pool.push(instance);
          if (how === 'failed') failed(name, error);
          ended(how === 'done');
        },
      );
    },
  };
}
