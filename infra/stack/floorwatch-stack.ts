import { CfnOutput, Lazy, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { AccountBudget } from './account-budget.ts';
import { Alerting } from './alerting.ts';
import { Canary } from './canary.ts';
import { HttpApi } from './http-api.ts';
import { Monitoring } from './monitoring.ts';
import { Polling } from './polling.ts';
import type { Created, Stage } from './stages.ts';
import { WatchTable } from './watch-table.ts';

export type FloorwatchStackProps = {
  readonly stage: Stage;
  readonly creates: Created | undefined;
};

/** The CloudFormation stack of a stage, with all its resources. */
export class FloorwatchStack extends Stack {
  constructor(scope: Construct, id: string, { stage, creates }: FloorwatchStackProps) {
    super(scope, id, {
      stackName: `floorwatch-${stage.name}`,
      env: stage.deployedTo ?? {},
      description:
        'Watches NFT floor prices and lowest sales, and alerts people when a price crosses a threshold',
      terminationProtection: stage.retainsData && creates !== 'stack',
      tags: { product: 'floorwatch', stage: stage.name },
    });
    const { retainsData, tableName: existing } = stage;
    const isProtected = retainsData && creates === undefined;
    const table = new WatchTable(this, 'WatchTable', { retainsData, isProtected, existing });
    // Lazy, because of a cycle: messages contain URLs of the API, and the API uses the channels.
    const publicUrl = Lazy.string({ produce: () => `${http.url}v1/` });
    const contractsUrl = Lazy.string({ produce: () => contracts.queue.queueUrl });
    const alerting = new Alerting(this, 'Alerting', { stage, table, publicUrl, contractsUrl });
    const { lists, channels, stackTopic, listTopics } = alerting;
    const polling = new Polling(this, 'Polling', { stage, table, lists, channels });
    const { contracts, missedTicks, wakeWork } = polling;
    contracts.grantSend(alerting.runJobs);
    const http = new HttpApi(this, 'Http', {
      stage,
      table,
      contracts,
      lists,
      alerting,
      missedTicks,
    });
    const { api } = http;
    const { queue: canary } = new Canary(this, 'Canary', { stage: stage.name, listTopics });
    const monitoring = new Monitoring(this, 'Monitoring', {
      ...{ stage, table, api, missedTicks, wakeWork, canary },
    });
    const { awsBudgetPerMonth: dollars } = stage;
    if (dollars !== undefined) new AccountBudget(this, 'AccountBudget', { stage, dollars });

    this.output('ApiUrl', http.url, 'The API URL; append v1/docs for the documentation');
    if (http.domainTarget !== undefined) {
      this.output(
        'DomainTarget',
        http.domainTarget,
        'The target of the DNS record (CNAME) for the domain name of the stage',
      );
    }
    this.output('TableName', table.tableName, 'The table with all data of the stack');
    this.output(
      'StackTopicArn',
      stackTopic.topicArn,
      'The topic for alerts to operators; subscribe operators to it',
    );
    const { topics, dashboardUrl } = monitoring;
    this.output(
      'AlarmTopicArn',
      topics.page.topicArn,
      'The topic for alarms that need action now (pages)',
    );
    this.output(
      'TicketTopicArn',
      topics.ticket.topicArn,
      'The topic for alarms that can wait for a day (tickets)',
    );
    if (dashboardUrl !== undefined) {
      this.output('DashboardUrl', dashboardUrl, 'The dashboard of the stack');
    }
    this.output(
      'MissedTicksUrl',
      missedTicks.queueUrl,
      'The queue of failed ticks; later ticks catch up',
    );
    this.output(
      'CanaryQueueUrl',
      canary.queueUrl,
      'The queue that receives the messages of the canary',
    );
    this.output(
      'UndeliveredUrl',
      alerting.undelivered.queueUrl,
      'The queue of messages that SNS could not deliver. The function record-bounces reads it.',
    );
    const keptFailing =
      'Messages that failed repeatedly; npm run operate -- redrive sends them again';
    this.output('ContractsDeadLettersUrl', contracts.deadLetters.queueUrl, keptFailing);
    this.output('ListsDeadLettersUrl', lists.deadLetters.queueUrl, keptFailing);
    this.output('ChannelsDeadLettersUrl', channels.deadLetters.queueUrl, keptFailing);
  }

  private output(output: string, value: string, description: string): void {
    new CfnOutput(this, output, { value, description });
  }
}
