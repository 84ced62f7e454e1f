import { randomUUID } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import * as z from 'zod';

/** A function of the stack in a thread of its own, with its own environment variables. */
export type HostedFunction = {
  /** Rejects with the error of the handler. */
  readonly invoke: (event: unknown) => Promise<unknown>;
  /** The virtual time until which the function waits, if it waits. */
  readonly asleepUntil: () => number | undefined;
  readonly close: () => Promise<void>;
};

export type HostedFunctionOptions = {
  /**
   * The folder of the function. It is also the access key id of the function's AWS calls, and so
   * identifies their caller.
   */
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  /** Virtual time minus real time in milliseconds, shared by all threads. */
  readonly offset: BigInt64Array;
  readonly log: (line: string) => void;
};

export function hostFunction(options: HostedFunctionOptions): HostedFunction {
  const { folder, variables, timeoutSeconds, offset, log } = options;
  const handlerUrl = pathToFileURL(`functions/${folder}/handler.ts`).href;
  const worker = new Worker(new URL('./function-worker.ts', import.meta.url), {
    workerData: { handlerUrl, offset },
    env: {
      ...variables,
      AWS_ACCESS_KEY_ID: folder,
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_LAMBDA_FUNCTION_NAME: folder,
      TZ: ':UTC',
    },
    execArgv: [],
    stdout: true,
    stderr: true,
  });
  const invocations = new Map<number, PromiseWithResolvers<unknown>>();
  let count = 0;
  let asleepUntil: number | undefined;
  let crash: Error | undefined;
  for (const output of [worker.stdout, worker.stderr]) {
    output.on('data', (chunk) => log(`${folder}: ${chunk}`));
  }
  worker.on('error', (error) => {
    crash = new Error(`${folder} crashed`, { cause: error });
    for (const { reject } of invocations.values()) reject(crash);
  });
  worker.on('message', (message: unknown) => {
    const answer = Answer.parse(message);
    if (!('id' in answer)) {
      asleepUntil = answer.asleepUntil;
      return;
    }
    const invocation = invocations.get(answer.id);
    invocations.delete(answer.id);
    if (answer.error !== undefined) invocation?.reject(new Error(`${folder}: ${answer.error}`));
    else invocation?.resolve(answer.result && JSON.parse(answer.result));
  });

  return {
    asleepUntil: () => asleepUntil,
    invoke: async (event) => {
      if (crash !== undefined) throw crash;
      const id = count;
      count += 1;
      const invocation = Promise.withResolvers<unknown>();
      invocations.set(id, invocation);
      const context = {
        functionName: folder,
        functionVersion: '$LATEST',
        awsRequestId: randomUUID(),
        callbackWaitsForEmptyEventLoop: true,
      };
      worker.postMessage({ id, event, context, timeoutMs: timeoutSeconds * 1000 });
      return await invocation.promise;
    },
    close: async () => {
      await worker.terminate();
    },
  };
}

const Answer = z.union([
  z.object({ id: z.number(), result: z.string().optional(), error: z.string().optional() }),
  z.object({ asleepUntil: z.number().optional() }),
]);
