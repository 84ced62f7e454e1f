import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Alerting } from './alerting.ts';
import { HttpApi } from './http-api.ts';
import { Monitoring } from './monitoring.ts';
import { Polling } from './polling.ts';
import type { Stage } from './stages.ts';
import { WatchTable } from './watch-table.ts';

export type FloorwatchStackProps = {
  readonly stage: Stage;
};

/** Everything that one stage deploys. */
export class FloorwatchStack extends Stack {
  constructor(scope: Construct, id: string, { stage }: FloorwatchStackProps) {
    super(scope, id, {
      stackName: `floorwatch-${stage.name}`,
      env: stage.deployedTo,
      description: 'Watches NFT floor prices and lowest sales, and tells people of crossings',
      terminationProtection: stage.retainsData,
      tags: { product: 'floorwatch', stage: stage.name },
    });
    const table = new WatchTable(this, 'WatchTable', { retainsData: stage.retainsData });
    const alerting = new Alerting(this, 'Alerting', { stage, table });
    const { lists, channels, stackTopic } = alerting;
    const polling = new Polling(this, 'Polling', { stage, table, lists, channels });
    const { contracts, missedTicks } = polling;
    const http = new HttpApi(this, 'Http', { stage, table, contracts, lists, alerting });
    const { api } = http;
    const monitoring = new Monitoring(this, 'Monitoring', { stage, table, api, missedTicks });

    new CfnOutput(this, 'ApiUrl', { value: http.url });
    new CfnOutput(this, 'TableName', { value: table.tableName });
    new CfnOutput(this, 'StackTopicArn', { value: stackTopic.topicArn });
    new CfnOutput(this, 'AlarmTopicArn', { value: monitoring.alarmTopic.topicArn });
    new CfnOutput(this, 'DashboardUrl', { value: monitoring.dashboardUrl });
    new CfnOutput(this, 'MissedTicksUrl', { value: missedTicks.queueUrl });
    new CfnOutput(this, 'ContractsDeadLettersUrl', { value: contracts.deadLetters.queueUrl });
    new CfnOutput(this, 'ListsDeadLettersUrl', { value: lists.deadLetters.queueUrl });
    new CfnOutput(this, 'ChannelsDeadLettersUrl', { value: channels.deadLetters.queueUrl });
  }
}
