import { SQSClient } from '@aws-sdk/client-sqs';
import { findDeadLetterQueues, moveBack, peek, type StackQueues } from './dead-letters.ts';
import { expectLocalStack } from './local-stacks.ts';
import { createRemoteQueues } from './remote-queues.ts';
import { type DeployedStack, regionOf, type Stack } from './stack-option.ts';

/** Connects to the queues of a stack. */
export async function openStackQueues(stack: Stack): Promise<StackQueues> {
  if (stack.kind === 'deployed') return deployedQueues(stack);
  await expectLocalStack(stack.url);
  return createRemoteQueues(stack.url);
}

/** A client for the queues of a deployed stage. */
export function queuesClient(stack: DeployedStack): SQSClient {
  return new SQSClient({ useQueueUrlAsEndpoint: false, ...regionOf(stack) });
}

function deployedQueues(stack: DeployedStack): StackQueues {
  const sqs = queuesClient(stack);
  const name = `floorwatch-${stack.stage}`;
  return {
    name: `the stack ${name}`,
    deadLetterQueues: () => findDeadLetterQueues(sqs, `${name}-`),
    peek: (queue) => peek(sqs, queue),
    moveBack: (queue, source) => moveBack(sqs, queue, source),
  };
}
