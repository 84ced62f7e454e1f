import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { earliest } from '#shared/domain/market/instant.ts';
import { type Clock, wait } from './clock.ts';
import { createResources, type Engines, type QueueState } from './engines.ts';
import { EventSource, listenToQueue } from './event-sources.ts';
import { createFunction, type LocalFunction } from './functions.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { Schedule, scheduledEvent } from './scheduler.ts';
import { readStack, type Stack, TemplateError } from './template.ts';
import { templateApi } from './template-api.ts';

/** A template that runs. */
export type Runtime = {
  readonly stack: Stack;
  readonly gateway: Gateway;
  /** By folder. */
  readonly functions: ReadonlyMap<string, LocalFunction>;
  /** Sets off every schedule for that instant. */
  readonly tick: (instant: number) => void;
  /** Resolves when no message waits, no request is open, and no function does more than sleep. */
  readonly quiet: (signal: AbortSignal) => Promise<void>;
  /** When the first function that sleeps is to go on. */
  readonly asleepUntil: () => number | undefined;
  /** Lets functions go on that were to sleep until now. */
  readonly wake: () => void;
  /** Queues that no function listens to, with what is in them: messages that were given up. */
  readonly deadLetters: () => Promise<readonly QueueState[]>;
  readonly close: () => Promise<void>;
};

export type RuntimeOptions = {
  readonly template: unknown;
  readonly engines: Engines;
  readonly clock: Clock;
  /** Holds a folder with a `handler.ts` for each function. */
  readonly functionsFolder: string;
  readonly log: (functionName: string, line: string) => void;
  readonly onFailure: (error: unknown) => void;
  /** Sees the body of each message before its function does. */
  readonly onMessage?: (body: string) => void;
  readonly pages?: Readonly<Record<string, () => Promise<unknown>>>;
  readonly port?: number;
  readonly stage?: string | undefined;
  readonly retrySeconds?: number;
  /** How many events each function handles at once. */
  readonly concurrency?: number | undefined;
};

/** Runs a template on the engines: what it does not wire is not there. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { template, engines, clock, onFailure } = options;
  const stack = readStack(template, engines.queueOrigin);
  const functions = stack.find('AWS::Lambda::Function', FunctionProperties).map((found) => {
    const folder = z.string().parse(found.metadata['floorwatch:folder']);
    const { Environment, Timeout, MemorySize } = found.properties;
    const lambda = createFunction(
      {
        name: folder,
        arn: found.arn,
        handlerUrl: pathToFileURL(join(options.functionsFolder, folder, 'handler.ts')).href,
        variables: () => onThisMachine(Environment.Variables),
        timeoutSeconds: Timeout,
        memoryMegabytes: MemorySize,
      },
      {
        ...{ clock, endpoints: engines.endpoints, log: options.log },
        concurrency: options.concurrency,
      },
    );
    return { folder, references: new Set([found.ref, found.arn]), lambda };
  });
  /** Variables that name the gateway have its address here. */
  const onThisMachine = (variables: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, value.replace(GATEWAY, gateway.url)]),
    );
  const functionOf = (reference: string): LocalFunction => {
    const found = functions.find(({ references }) => references.has(reference));
    if (!found) throw new TemplateError(`the template holds no function ${reference}`);
    return found.lambda;
  };
  const schedules = stack
    .find('AWS::Scheduler::Schedule', Schedule)
    .filter(({ properties }) => properties.State === 'ENABLED')
    .map(({ properties }) => ({ ...properties, target: functionOf(properties.Target.Arn) }));
  const queues = stack.find('AWS::SQS::Queue', z.object({}));
  const sources = stack.find('AWS::Lambda::EventSourceMapping', EventSource).map((found) => {
    const queue = queues.find(({ arn }) => arn === found.properties.EventSourceArn);
    if (!queue) throw new TemplateError(`${found.id} listens to no queue of the template`);
    return { source: found.properties, queue, target: functionOf(found.properties.FunctionName) };
  });

  const gateway = await startGateway({
    pages: {},
    ...options,
    api: templateApi(stack, functionOf),
    now: clock.now,
  });
  for (const { lambda } of functions) lambda.warm();
  await createResources(engines, stack);
  const listeners = sources.map(({ source, queue, target }) =>
    listenToQueue(source, { ...options, sqs: engines.sqs, queueUrl: queue.ref, target }),
  );

  const sendTo = (queueUrl: string, event: unknown) =>
    engines.sqs.send(
      new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify(event) }),
    );
  const consumed = new Set(sources.map(({ queue }) => nameOf(queue.arn)));
  const own = new Set(queues.map(({ arn }) => nameOf(arn)));
  const isQuiet = async (): Promise<boolean> => {
    const isIdle = () =>
      gateway.open() === 0 && functions.every(({ lambda }) => lambda.busy() === 0);
    if (!isIdle()) return false;
    const states = await engines.queues();
    const unhandled = states.some(
      ({ name, waiting, inFlight }) => consumed.has(name) && waiting + inFlight > 0,
    );
    return !unhandled && isIdle();
  };

  return {
    stack,
    gateway,
    functions: new Map(functions.map(({ folder, lambda }) => [folder, lambda])),
    tick: (instant) => {
      for (const { target, Target } of schedules) {
        const event = scheduledEvent(Target.Input, instant);
        target.invoke(event).catch(async (error: unknown) => {
          onFailure(error);
          const missed = queues.find(({ arn }) => arn === Target.DeadLetterConfig?.Arn);
          if (missed) await sendTo(missed.ref, event);
        });
      }
    },
    quiet: async (signal) => {
      while (!signal.aborted && !(await isQuiet())) await wait(5, signal);
    },
    asleepUntil: () => earliest(functions.map(({ lambda }) => lambda.asleepUntil())),
    wake: () => {
      for (const { lambda } of functions) lambda.wake();
    },
    deadLetters: async () => {
      const states = await engines.queues();
      return states.filter(
        ({ name, waiting }) => own.has(name) && !consumed.has(name) && waiting > 0,
      );
    },
    close: async () => {
      await gateway.close();
      const stopped = Promise.all(listeners.map((listener) => listener.stop()));
      await Promise.all(functions.map(({ lambda }) => lambda.kill()));
      await stopped;
    },
  };
}

/** The address of the gateway and its stage, as the template has it. */
const GATEWAY = /^https:\/\/\w+\.execute-api\.[\w.-]+\/[\w-]+/;

const nameOf = (arn: string) => arn.slice(arn.lastIndexOf(':') + 1);

const FunctionProperties = z.object({
  Environment: z.object({ Variables: z.record(z.string(), z.string()) }).default({ Variables: {} }),
  Timeout: z.number().default(3),
  MemorySize: z.number().default(128),
});
