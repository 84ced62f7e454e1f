import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { readStatus } from './local-stacks.ts';
import { regionOf, type Stack } from './stack-option.ts';
import { UsageError } from './usage-error.ts';

export type StackQueues = {
  readonly sqs: SQSClient;
  /** What the names of the stack's queues begin with. */
  readonly prefix: string;
  /** What the stack is called in words. */
  readonly name: string;
};

/** Where a stack's queues are. */
export async function openStackQueues(stack: Stack): Promise<StackQueues> {
  if (stack.kind === 'deployed') {
    const name = `floorwatch-${stack.stage}`;
    const sqs = new SQSClient({ useQueueUrlAsEndpoint: false, ...regionOf(stack) });
    return { sqs, prefix: `${name}-`, name: `the stack ${name}` };
  }
  const sqs = new SQSClient({
    ...(await localQueues(stack.url)),
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    useQueueUrlAsEndpoint: false,
  });
  return { sqs, prefix: '', name: `the stack at ${stack.url}` };
}

async function localQueues(url: string): Promise<z.output<typeof Status>['sqs']> {
  try {
    return (await readStatus(url, Status)).sqs;
  } catch (error) {
    throw new UsageError(`--local ${url}: no stack of npm start answers there`, { cause: error });
  }
}

const Status = z.object({ sqs: z.object({ endpoint: z.url(), region: z.string() }) });
