import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createClock } from '#infra/local/runtime/clock.ts';
import { type Publication, startEngines } from '#infra/local/runtime/engines.ts';
import { startRuntime } from '#infra/local/runtime/runtime.ts';

type Resources = Readonly<
  Record<string, { readonly Type: string; readonly [member: string]: unknown }>
>;

export type WorldOptions = {
  readonly resources: Resources;
  /** Source text of each handler, by folder. */
  readonly handlers: Readonly<Record<string, string>>;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly start?: number;
  readonly stage?: string | undefined;
};

/** A template with handlers of its own, running until the test is finished. */
export async function world({ resources, handlers, parameters = {}, start, stage }: WorldOptions) {
  const functionsFolder = await mkdtemp(join(tmpdir(), 'floorwatch-test-'));
  for (const [folder, source] of Object.entries(handlers)) {
    await mkdir(join(functionsFolder, folder));
    await writeFile(join(functionsFolder, folder, 'handler.ts'), source);
  }
  const clock = createClock(start);
  const published: Publication[] = [];
  const failures: unknown[] = [];
  const engines = await startEngines({
    parameters: new Map(Object.entries(parameters)),
    now: clock.now,
    onPublish: async (publication) => {
      published.push(publication);
    },
  });
  onTestFinished(async () => {
    await engines.close();
    await rm(functionsFolder, { recursive: true });
  });
  const runtime = await startRuntime({
    template: { Resources: resources },
    engines,
    clock,
    functionsFolder,
    log: () => {},
    onFailure: (error) => failures.push(error),
    retrySeconds: 0,
    stage,
  });
  onTestFinished(() => runtime.close());
  const functionIn = (folder: string) => {
    const found = runtime.functions.get(folder);
    if (!found) throw new Error(`the template holds no ${folder}`);
    return found;
  };
  return { ...runtime, engines, clock, published, failures, functionIn };
}

/** A function of the template; its handler lies in the folder. */
export function aFunction(folder: string, { variables = {}, timeout = 10 }: FunctionOptions = {}) {
  return {
    Type: 'AWS::Lambda::Function',
    Properties: { Environment: { Variables: variables }, Timeout: timeout, MemorySize: 128 },
    Metadata: { 'floorwatch:folder': folder },
  };
}

type FunctionOptions = {
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly timeout?: number;
};

/** A FIFO queue whose messages a function handles, three times at most. */
export function anActorQueue(functionId: string): Resources {
  return {
    DeadLetters: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } },
    Queue: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        FifoQueue: true,
        VisibilityTimeout: 180,
        RedrivePolicy: {
          deadLetterTargetArn: { 'Fn::GetAtt': ['DeadLetters', 'Arn'] },
          maxReceiveCount: 3,
        },
      },
    },
    Source: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: { 'Fn::GetAtt': ['Queue', 'Arn'] },
        FunctionName: { Ref: functionId },
        BatchSize: 5,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      },
    },
  };
}
