import { BATCH, CONCURRENCY } from '#infra/stack/concurrency.ts';
import type { Stage } from '#infra/stack/stages.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { FilesOf } from './world-files.ts';
import {
  createFunctions,
  type FunctionName,
  SCHEDULED,
  TIMEOUTS,
  type WorldFunctions,
} from './world-functions.ts';
import { type WorldParts, worldOutside } from './world-outside.ts';
import {
  createWorldQueues,
  type KeptMessages,
  type LocalQueues,
  NOT_KEPT,
} from './world-queues.ts';
import { createWorldTime } from './world-time.ts';
import { worldVariables } from './world-variables.ts';

/** The parts of a stack in this process, and its observers. */
export type WorldOptions = Omit<WorldParts, 'queues' | 'sleepUntil' | 'call'> & {
  /** Runs around each call of a function to a port, for example to inject faults or to count. */
  readonly hook?: WorldParts['call'];
  readonly stage: Stage;
  /** The prefix of all links in messages. Each function reads it at its first event. */
  readonly publicUrl: () => string;
  readonly filesOf: FilesOf;
  /** Whether the clock runs by itself, at least as fast as real time. */
  readonly clockRuns?: boolean;
  /** Stores messages for a later process; without it they are lost with this one. */
  readonly messages?: KeptMessages;
  /** Receives each error that a function threw. */
  readonly onFailure: (error: unknown) => void;
};

/**
 * The whole stack in one process: the functions of Lambda, over an in-process table, queues and
 * topics.
 */
export type World = {
  readonly functions: WorldFunctions;
  /** Starts the functions that the schedule invokes each minute. */
  readonly tick: () => void;
  /**
   * Resolves when no function is running and no message is due. Functions and messages that wait
   * for a later time are ignored.
   */
  readonly quiet: (signal: AbortSignal) => Promise<void>;
  /**
   * The earliest time at which a sleeping function continues, or a message becomes visible again.
   */
  readonly asleepUntil: () => Instant | undefined;
  /** Resumes all due work. Does not move the clock. */
  readonly wake: () => void;
  readonly queues: LocalQueues;
};

export function createWorld({
  stage,
  publicUrl,
  filesOf,
  onFailure,
  messages = NOT_KEPT,
  clockRuns = false,
  hook = (_port, work) => work(),
  ...parts
}: WorldOptions): World {
  const { now } = parts;
  const time = createWorldTime(now, clockRuns);
  const functions = createFunctions(
    (name) =>
      worldOutside(
        {
          ...{ ...parts, queues, sleepUntil: time.sleepUntil },
          call: (port, work) => time.calling(() => hook(port, work)),
        },
        { ...worldVariables(stage, { publicUrl: publicUrl() }), ...filesOf(name) },
      ),
    { during: time.during },
  );
  const consumer = (name: FunctionName, maxConcurrency: number, batchSize = 1) => ({
    ...{ invoke: functions[name], maxConcurrency, batchSize, timeoutSeconds: TIMEOUTS[name] },
  });
  const queues = createWorldQueues({
    ...{ now, time, onFailure, messages },
    consumers: {
      contracts: consumer('run-contracts', CONCURRENCY.runContracts),
      lists: consumer('run-jobs', CONCURRENCY.runJobs, BATCH.runJobs),
      channels: consumer('deliver-messages', CONCURRENCY.deliverMessages),
    },
  });

  return {
    functions,
    tick: () => {
      const event = { time: new Date(now()).toISOString() };
      for (const name of SCHEDULED) functions[name](event).catch(onFailure);
    },
    quiet: time.quiet,
    asleepUntil: time.asleepUntil,
    wake: time.wake,
    queues,
  };
}
