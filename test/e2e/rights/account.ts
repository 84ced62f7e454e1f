import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateTopicCommand, SNSClient } from '@aws-sdk/client-sns';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import * as z from 'zod';
import { installMinistack, startMinistack } from '#test/e2e/deployment/ministack.ts';
import { TABLE_SCHEMA } from '#test/support/tables.ts';
import { region, type Stack } from '#test/support/template.ts';

const CACHE = join(import.meta.dirname, '..', '..', '..', '.cache');

export type Account = Awaited<ReturnType<typeof openAccount>>;

/** The path of the emulator's Python. Undefined, with a warning, if it cannot be installed. */
export async function installedEmulator(): Promise<string | undefined> {
  const installed = await installMinistack(CACHE);
  if ('python' in installed) return installed.python;
  // biome-ignore lint/suspicious/noConsole: a skipped check must be visible
  console.warn(`NOT RUN: the emulator of AWS cannot be installed: ${installed.missing}`);
  return undefined;
}

/** An empty emulated account and clients of it. */
export async function openAccount(open: AsyncDisposableStack, python: string, folder: string) {
  const { endpoint, stop } = await startMinistack(python, join(folder, 'ministack.log'));
  open.defer(stop);
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = { endpoint, region, credentials };
  return {
    endpoint,
    dynamodb: new DynamoDBClient(client),
    sqs: new SQSClient({ ...client, useQueueUrlAsEndpoint: false }),
    sns: new SNSClient(client),
    ssm: new SSMClient(client),
  };
}

/**
 * Creates the resources that functions call. Other properties of the resources, such as redrive
 * policies, are left to the deployment test.
 */
export async function createResources(
  { dynamodb, sqs, sns, ssm }: Account,
  stack: Stack,
  secrets: Readonly<Record<string, string>>,
): Promise<void> {
  const anything = z.unknown();
  for (const { ref } of stack.find('AWS::DynamoDB::Table', anything)) {
    await dynamodb.send(new CreateTableCommand({ ...TABLE_SCHEMA, TableName: ref }));
  }
  for (const { ref } of stack.find('AWS::SQS::Queue', anything)) {
    const QueueName = ref.slice(ref.lastIndexOf('/') + 1);
    const Attributes = {
      VisibilityTimeout: '600',
      ...(QueueName.endsWith('.fifo') && FIFO),
    };
    await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  }
  for (const { arn } of stack.find('AWS::SNS::Topic', anything)) {
    await sns.send(new CreateTopicCommand({ Name: arn.slice(arn.lastIndexOf(':') + 1) }));
  }
  for (const [Name, Value] of Object.entries(secrets)) {
    await ssm.send(new PutParameterCommand({ Name, Value, Type: 'SecureString' }));
  }
}

const FIFO = {
  FifoQueue: 'true',
  DeduplicationScope: 'messageGroup',
  FifoThroughputLimit: 'perMessageGroupId',
};
