import {
  CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
} from '@aws-sdk/client-cloudformation';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, it, onTestFinished } from 'vitest';
import { createCloudStacks } from '#infra/operate/account/cloud-stacks.ts';
import { aStage, FULL_STAGE, synthesize } from '#test/infra/synthesized.ts';

const TABLE = 'floorwatch-dev-WatchTable1';

/** The table of a stack that was deployed with a template. */
async function tableOf(template: object) {
  const client = new CloudFormationClient({ region: 'eu-west-1' });
  const cloudFormation = mockClient(client);
  onTestFinished(() => cloudFormation.restore());
  cloudFormation.on(DescribeStacksCommand).resolves({
    Stacks: [
      {
        StackName: 'floorwatch-dev',
        CreationTime: new Date(0),
        StackStatus: 'UPDATE_COMPLETE',
        Outputs: [{ OutputKey: 'TableName', OutputValue: TABLE }],
      },
    ],
  });
  const TemplateBody = JSON.stringify(template);
  cloudFormation.on(GetTemplateCommand).resolves({ TemplateBody });
  return await createCloudStacks(client).table('floorwatch-dev');
}

it.each([true, false])(
  'a table outlives its stack if the stage retains data: %s',
  async (retainsData) => {
    const table = await tableOf(synthesize(retainsData ? FULL_STAGE : aStage()));

    expect(table).toEqual({ name: TABLE, isOwn: true, isRetained: retainsData });
  },
);

it('a table outlives its stack under the deletion policy of earlier releases', async () => {
  const Resources = { Table: { Type: 'AWS::DynamoDB::Table', DeletionPolicy: 'Retain' } };

  expect(await tableOf({ Resources })).toMatchObject({ isRetained: true });
});

it('a table that the stack did not create outlives it', async () => {
  const table = await tableOf(synthesize(aStage({ tableName: TABLE })));

  expect(table).toEqual({ name: TABLE, isOwn: false, isRetained: true });
});
