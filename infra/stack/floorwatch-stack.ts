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

/** Everything that one stage deploys. */
export class FloorwatchStack extends Stack {
  constructor(scope: Construct, id: string, { stage, creates }: FloorwatchStackProps) {
    super(scope, id, {
      stackName: `floorwatch-${stage.name}`,
      env: stage.deployedTo,
      description: 'Watches NFT floor prices and lowest sales, and returns people of crossings',
      terminationProtection: stage.retainsData && creates !== 'stack',
      tags: { product: 'floorwatch', stage: stage.name },
    });
    const { retainsData, tableName: existing } = stage;
    const isProtected = retainsData && creates === undefined;
    const table = new WatchTable(this, 'WatchTable', { retainsData, isProtected, existing });
    // Messages have addresses of the interface, whose channels are those of the messages.
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

    this.output('ApiUrl', http.url, 'The interface; append v1/docs for how to use it');
    if (http.domainTarget !== undefined) {
      this.output(
        'DomainTarget',
        http.domainTarget,
        'Where the name of the stage has to lead (DNS)',
      );
    }
    this.output('TableName', table.tableName, 'Everything that the stack remembers');
    this.output(
      'StackTopicArn',
      stackTopic.topicArn,
      'The topic of the operators; subscribe them to it',
    );
    const { topics, dashboardUrl } = monitoring;
    this.output('AlarmTopicArn', topics.page.topicArn, 'Gets the alarms that cannot wait');
    this.output(
      'TicketTopicArn',
      topics.ticket.topicArn,
      'Gets the alarms that can wait for a day',
    );
    if (dashboardUrl !== undefined) {
      this.output('DashboardUrl', dashboardUrl, 'How the stack does, at a glance');
    }
    this.output(
      'MissedTicksUrl',
      missedTicks.queueUrl,
      'Ticks that failed; the next one made up for it',
    );
    this.output('CanaryQueueUrl', canary.queueUrl, 'Where the messages of the canary come back to');
    this.output(
      'UndeliveredUrl',
      alerting.undelivered.queueUrl,
      'Messages that SNS could not deliver; note-bounces records them on their channels',
    );
    const keptFailing = 'Messages that kept failing; npm run operate -- redrive sends them again';
    this.output('ContractsDeadLettersUrl', contracts.deadLetters.queueUrl, keptFailing);
    this.output('ListsDeadLettersUrl', lists.deadLetters.queueUrl, keptFailing);
    this.output('ChannelsDeadLettersUrl', channels.deadLetters.queueUrl, keptFailing);
  }

  private output(output: string, value: string, description: string): void {
    new CfnOutput(this, output, { value, description });
  }
}
