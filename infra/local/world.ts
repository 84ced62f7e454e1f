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

/** The parts of a world, and its observers. */
export type WorldOptions = Omit<WorldParts, 'queues' | 'sleepUntil' | 'call'> & {
  /** Runs around each call of a function to a port, for example to inject faults or to count. */
  readonly hook?: WorldParts['call'];
  readonly stage: Stage;
  /** The first part of all links in messages. Each function reads it at its first event. */
  readonly publicUrl: () => string;
  readonly filesOf: FilesOf;
  /** Whether the clock runs by itself, at least as fast as real time. */
  readonly clockRuns?: boolean;
  /** Keeps messages for a later process; without, they are lost with this one. */
  readonly messages?: KeptMessages;
  /** Receives each error that a function threw. */
  readonly onFailure: (error: unknown) => void;
};

/**
 * The whole stack in one process: the same functions as on Lambda, over a table, queues and topics of
 * this process.
 */
export type World = {
  readonly functions: WorldFunctions;
  /** Begins what the schedule begins each minute. */
  readonly tick: () => void;
  /** Resolves when no function runs and no message waits, except until later. */
  readonly quiet: (signal: AbortSignal) => Promise<void>;
  /** When the first function that sleeps goes on, or the first message becomes visible again. */
  readonly asleepUntil: () => Instant | undefined;
  /** Resumes the work whose waiting time is over. The clock does not move by itself. */
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
