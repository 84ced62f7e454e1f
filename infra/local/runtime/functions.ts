import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { earliest } from '#shared/domain/market/instant.ts';
import type { Clock } from './clock.ts';
import { region } from './template.ts';

/** A Lambda function of the template. */
export type FunctionDefinition = {
  readonly name: string;
  readonly arn: string;
  /** The module that exports `handler`, TypeScript as it is. */
  readonly handlerUrl: string;
  /** Exactly what the template sets; asked for when an instance starts. */
  readonly variables: () => Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
};

export type LocalFunction = {
  readonly name: string;
  /** How many events it handles at once; more wait for an instance. */
  readonly concurrency: number;
  /** Has an instance ready before the first event. */
  readonly warm: () => void;
  /** Hands one event to an instance of its own for as long as it runs. Rejects with what the handler threw. */
  readonly invoke: (event: unknown) => Promise<unknown>;
  /** Events that are not answered yet, but for those whose instances sleep. */
  readonly busy: () => number;
  /** When the first instance that sleeps is to go on. */
  readonly asleepUntil: () => number | undefined;
  /** Lets instances go on that were to sleep until now. */
  readonly wake: () => void;
  /** Ends every instance wherever it is, like a crash of its machine. */
  readonly kill: () => Promise<void>;
};

/** Where the functions run. */
export type FunctionHost = {
  readonly clock: Clock;
  /** `AWS_ENDPOINT_URL_…` of the engines. */
  readonly endpoints: Readonly<Record<string, string>>;
  /** Receives what the functions print, line by line. */
  readonly log: (functionName: string, line: string) => void;
  readonly concurrency?: number | undefined;
};

/** What a handler threw, or how its instance ended. */
class FunctionError extends Error {
  override readonly name = 'FunctionError';
  readonly code = 'function_failed';
}

type Instance = {
  readonly worker: Worker;
  /** Its handler is imported, or it has ended. */
  readonly ready: Promise<void>;
  /** The one event that it is at. */
  current: PromiseWithResolvers<unknown> | undefined;
  /** While it does nothing but wait for that instant. */
  asleepUntil: number | undefined;
};

/**
 * So many times its time an instance has here before it is ended: one machine carries table, queues
 * and all functions, and an authorizer that waits for its turn does not hang. What a handler is told
 * of its time is as in the account.
 */
const PATIENCE = 4;

/** A function whose instances are worker threads, added when events ask for them. */
export function createFunction(
  definition: FunctionDefinition,
  { clock, endpoints, log, concurrency = 3 }: FunctionHost,
): LocalFunction {
  const { name, arn, handlerUrl, timeoutSeconds, memoryMegabytes } = definition;
  const env = () => ({
    ...definition.variables(),
    ...endpoints,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    // Every call names its function, as it does by the function's own role in the account.
    AWS_ACCESS_KEY_ID: name,
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMegabytes),
    TZ: ':UTC',
  });
  const instances = new Set<Instance>();
  const waiting: (() => void)[] = [];
  let busy = 0;

  const start = (): Instance => {
    const worker = new Worker(new URL('./function-worker.ts', import.meta.url), {
      env: env(),
      workerData: { handlerUrl, clock: clock.shared },
      stdout: true,
      stderr: true,
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 128 },
    });
    for (const input of [worker.stdout, worker.stderr]) {
      createInterface({ input }).on('line', (line) => log(name, line));
    }
    const { promise: ready, resolve: imported } = Promise.withResolvers<void>();
    const instance: Instance = { worker, ready, current: undefined, asleepUntil: undefined };
    instances.add(instance);

    let end = 'was killed';
    worker.on('error', (error) => {
      end = `crashed: ${error instanceof Error ? error.message : String(error)}`;
    });
    worker.on('exit', () => {
      instances.delete(instance);
      instance.current?.reject(new FunctionError(`${name} ${end}`));
      imported();
    });
    worker.on('message', (message: unknown) => {
      const reply = Reply.parse(message);
      const { isImported, result, error } = reply;
      if ('asleepUntil' in reply) instance.asleepUntil = reply.asleepUntil;
      else if (isImported) imported();
      else if (error) instance.current?.reject(failure(name, error));
      else instance.current?.resolve(result === undefined ? undefined : JSON.parse(result));
    });
    return instance;
  };

  const acquire = async (): Promise<Instance> => {
    for (;;) {
      const idle = [...instances].find(({ current }) => !current);
      const instance = idle ?? (instances.size < concurrency ? start() : undefined);
      if (instance) {
        instance.current = Promise.withResolvers();
        return instance;
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };

  const handle = async (instance: Instance, event: unknown): Promise<unknown> => {
    // As in the account, where importing is not of the time that an event has.
    await instance.ready;
    const timer = setTimeout(
      () => {
        instances.delete(instance);
        instance.current?.reject(new FunctionError(`${name} timed out after ${timeoutSeconds} s`));
        void instance.worker.terminate();
      },
      PATIENCE * timeoutSeconds * 1000,
    );
    instance.worker.postMessage({
      event,
      deadline: Date.now() + timeoutSeconds * 1000,
      context: {
        functionName: name,
        functionVersion: '$LATEST',
        invokedFunctionArn: arn,
        memoryLimitInMB: String(memoryMegabytes),
        awsRequestId: randomUUID(),
        logGroupName: `/aws/lambda/${name}`,
        logStreamName: 'local',
        callbackWaitsForEmptyEventLoop: true,
      },
    });
    try {
      return await instance.current?.promise;
    } finally {
      clearTimeout(timer);
      instance.current = undefined;
      waiting.shift()?.();
    }
  };

  const asleep = () =>
    [...instances].filter(({ current, asleepUntil }) => current && asleepUntil !== undefined);

  return {
    name,
    concurrency,
    busy: () => busy - asleep().length,
    asleepUntil: () => earliest(asleep().map(({ asleepUntil }) => asleepUntil)),
    wake: () => {
      for (const instance of asleep()) {
        instance.asleepUntil = undefined;
        instance.worker.postMessage('wake');
      }
    },
    warm: () => {
      if (instances.size === 0) start();
    },
    invoke: async (event) => {
      busy += 1;
      try {
        return await handle(await acquire(), event);
      } finally {
        busy -= 1;
      }
    },
    kill: async () => {
      await Promise.all([...instances].map(({ worker }) => worker.terminate()));
    },
  };
}

const Reply = z.object({
  isImported: z.boolean().default(false),
  asleepUntil: z.number().optional(),
  result: z.string().optional(),
  error: z.object({ name: z.string(), message: z.string(), stack: z.string() }).optional(),
});

type Failure = { readonly name: string; readonly message: string; readonly stack: string };

function failure(functionName: string, { name, message, stack }: Failure): FunctionError {
  const error = new FunctionError(`${functionName} failed: ${name}: ${message}`, {
    cause: message,
  });
  error.stack = stack;
  return error;
}
