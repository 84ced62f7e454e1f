import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { readStatus } from './local-stacks.ts';
import { regionOf, type Stack } from './stack-option.ts';

export type StackQueues = {
  readonly sqs: SQSClient;
  /** The prefix of the stack's queue names; empty for a local stack. */
  readonly prefix: string;
  /** The stack's name in messages. */
  readonly name: string;
};

/** Connects to the queues of a stack. */
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
    throw new UsageError(
      `--local ${url}: no stack of npm start answers there; give the address that it printed`,
      { cause: error },
    );
  }
}

const Status = z.object({ sqs: z.object({ endpoint: z.url(), region: z.string() }) });
