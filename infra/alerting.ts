import { Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { DeliverMessagesEnvironment } from '#functions/deliver-messages/environment.ts';
import { NotifyWatchersEnvironment } from '#functions/notify-watchers/environment.ts';
import { ActorQueue } from './actor-queue.ts';
import { NodeFunction } from './node-function.ts';
import type { Stage } from './stages.ts';
import type { WatchTable } from './watch-table.ts';

export type AlertingProps = {
  readonly stage: Stage;
  readonly table: WatchTable;
};

/** Brings what watches have fired to people: by topics, and by a queue for each chat channel. */
export class Alerting extends Construct {
  readonly lists: ActorQueue;
  readonly channels: ActorQueue;
  /** Gets every alert of the stack. */
  readonly stackTopic: ITopic;

  constructor(scope: Construct, id: string, props: AlertingProps) {
    super(scope, id);
    this.lists = new ActorQueue(this, 'Lists', { handlerTimeout: Duration.seconds(30) });
    this.channels = new ActorQueue(this, 'Channels', { handlerTimeout: Duration.seconds(30) });
    this.stackTopic = this.operatorsTopic(props.stage);
    this.notifyWatchers(props);
    this.deliverMessages(props);
  }

  private operatorsTopic(stage: Stage): ITopic {
    const topic = new Topic(this, 'StackTopic', {
      // A name of its own: one made up by CloudFormation would begin like the run-time topics.
      topicName: `alerts-of-floorwatch-${stage.name}`,
      displayName: `floorwatch ${stage.name}`,
      enforceSSL: true,
    });
    for (const email of stage.operatorEmails) {
      topic.addSubscription(new EmailSubscription(email));
    }
    return topic;
  }

  private notifyWatchers({ stage, table }: AlertingProps): void {
    const topicPrefix = `floorwatch-${stage.name}-`;
    const notifyWatchers = new NodeFunction(this, 'NotifyWatchers', {
      folder: 'notify-watchers',
      environmentSchema: NotifyWatchersEnvironment,
      environment: {
        WATCH_TABLE: table.tableName,
        CHANNELS_QUEUE_URL: this.channels.queue.queueUrl,
        STACK_TOPIC_ARN: this.stackTopic.topicArn,
        TOPIC_PREFIX: topicPrefix,
        STACK_SLACK: stage.slackWebhookParameter ? 'on' : 'off',
      },
      timeout: this.lists.handlerTimeout,
      memorySize: 512,
      logRetention: stage.logRetention,
    });
    table.grantItems(notifyWatchers, {
      'WATCHES#*': ['GetItem', 'PutItem', 'Query'],
      'TENANT#*': ['GetItem', 'PutItem', 'DeleteItem', 'Query'],
      'LIST#*': ['GetItem', 'PutItem'],
    });
    this.channels.grantSend(notifyWatchers);
    this.stackTopic.grantPublish(notifyWatchers);
    notifyWatchers.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({
        actions: [
          'sns:CreateTopic',
          'sns:DeleteTopic',
          'sns:ListSubscriptionsByTopic',
          'sns:Publish',
          'sns:Subscribe',
          'sns:Unsubscribe',
        ],
        // The topics that this stack makes at run time, one for each watchlist with subscribers.
        resources: [Stack.of(this).formatArn({ service: 'sns', resource: `${topicPrefix}*` })],
      }),
    );
    this.lists.consumeWith(notifyWatchers.lambda, { batchSize: 5, maxConcurrency: 10 });
  }

  private deliverMessages({ stage, table }: AlertingProps): void {
    const deliverMessages = new NodeFunction(this, 'DeliverMessages', {
      folder: 'deliver-messages',
      environmentSchema: DeliverMessagesEnvironment,
      environment: {
        WATCH_TABLE: table.tableName,
        SLACK_ORIGIN: stage.slackOrigin,
        ...(stage.slackWebhookParameter && {
          SLACK_WEBHOOK_PARAMETER: stage.slackWebhookParameter,
        }),
      },
      timeout: this.channels.handlerTimeout,
      memorySize: 256,
      logRetention: stage.logRetention,
    });
    table.grantItems(deliverMessages, { 'LIST#*': ['GetItem', 'PutItem'] });
    if (stage.slackWebhookParameter) deliverMessages.allowParameter(stage.slackWebhookParameter);
    // One at a time: a channel that hangs delays no other of its batch.
    this.channels.consumeWith(deliverMessages.lambda, { batchSize: 1, maxConcurrency: 10 });
  }
}
