import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DescribeTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { CreateQueueCommand, DeleteQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { createCloud } from './cloud.ts';
import { lineOf, step } from './steps.ts';

/** A stage that retains its data. */
const STAGE = 'keep';

const Ready = z.object({ event: z.literal('ready'), tableName: z.string() });
const Left = z.object({
  event: z.literal('left'),
  resources: z.array(z.object({ type: z.string(), id: z.string() })),
});

type FirstDeployment = {
  readonly cloud: ReturnType<typeof createCloud>;
  readonly client: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  };
  readonly folder: string;
  /** The options that name the provider and its key. */
  readonly upstream: readonly string[];
};

/**
 * Tests that a first deployment of a stage with retained data may fail and be repeated by the same
 * command.
 */
export async function repeatFirstDeployment(given: FirstDeployment): Promise<void> {
  const { cloud, client, folder, upstream } = given;
  const settings = join(folder, 'settings-of-a-first-deployment');
  await mkdir(settings);
  const sqs = new SQSClient({ ...client, useQueueUrlAsEndpoint: false });
  const dynamodb = new DynamoDBClient(client);
  const stage = ['--stage', STAGE, '--settings', settings];
  const setUp = () => cloud.operate('setup', [...stage, '--yes', ...upstream]);
  const stack = async () => {
    const named = new DescribeStacksCommand({ StackName: `floorwatch-${STAGE}` });
    const { Stacks = [] } = await new CloudFormationClient(client).send(named);
    const [found] = Stacks;
    return { status: found?.StackStatus, isProtected: found?.EnableTerminationProtection };
  };
  const tables = async () => {
    const { TableNames = [] } = await dynamodb.send(new ListTablesCommand({}));
    const ours = TableNames.filter((name) => name.startsWith(`floorwatch-${STAGE}-`));
    const described = ours.map(async (TableName) => {
      const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName }));
      return { name: TableName, isProtected: Table?.DeletionProtectionEnabled };
    });
    return await Promise.all(described);
  };

  await step('a failed first deployment leaves nothing that blocks the next one', async () => {
    const taken = { QueueName: `canary-of-floorwatch-${STAGE}`, Attributes: { DelaySeconds: '7' } };
    const { QueueUrl } = await sqs.send(new CreateQueueCommand(taken));
    await assert.rejects(setUp(), /cdk deploy failed/);
    await sqs.send(new DeleteQueueCommand({ QueueUrl }));

    assert.deepEqual(await stack(), { status: 'ROLLBACK_COMPLETE', isProtected: false });
    assert.deepEqual(await tables(), []);
  });
  await step(
    'npm run operate -- setup repeats it, and then protects the stack and its table',
    async () => {
      const { tableName } = lineOf(Ready, await setUp());

      assert.deepEqual(await stack(), { status: 'UPDATE_COMPLETE', isProtected: true });
      assert.deepEqual(await tables(), [{ name: tableName, isProtected: true }]);
    },
  );
  await step(
    'npm run operate -- destroy ends the protection of the stack, and leaves its table',
    async () => {
      const before = await tables();
      const left = await cloud.operate('destroy', [...[...stage, '--yes', STAGE, '--leave-data']]);

      assert.ok(lineOf(Left, left).resources.some(({ id }) => id === before[0]?.name));
      assert.deepEqual(await tables(), before);
    },
  );
}
