import { Duration, Stack } from 'aws-cdk-lib';
import { type Conditions, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type CfnTopic, type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IConstruct } from 'constructs';
import { DeliverMessagesEnvironment } from '#functions/deliver-messages/environment.ts';
import { RunJobsEnvironment } from '#functions/run-jobs/environment.ts';
import { acknowledgeWildcard } from './acknowledge-wildcard.ts';
import { ActorQueue } from './actor-queue.ts';
import { Bounces } from './bounces.ts';
import { BATCH, CONCURRENCY } from './concurrency.ts';
import { Emails } from './emails.ts';
import { NodeFunction } from './node-function.ts';
import { tellOperators } from './operator-emails.ts';
import { operatorVariables } from './operator-variables.ts';
import type { Stage } from './stages.ts';
import { cadenceVariables, upstreamVariables } from './upstream-variables.ts';
import type { WatchTable } from './watch-table.ts';

export type AlertingProps = {
  readonly stage: Stage;
  readonly table: WatchTable;
  /** The prefix of URLs in messages. */
  readonly publicUrl: string;
  /** The queue "Contracts", for the contracts of lists that follow a changed wallet. */
  readonly contractsUrl: string;
};

/** Delivers alerts to people. Each channel is an actor. */
export class Alerting extends Construct {
  readonly lists: ActorQueue;
  readonly channels: ActorQueue;
  /** The topic of the operators. */
  readonly stackTopic: ITopic;
  /**
   * The prefix of the names of topics that are created at run time, one for each endpoint of a
   * list.
   */
  readonly listTopics: string;
  readonly runJobs: NodeFunction<typeof RunJobsEnvironment>;
  readonly #bounces: Bounces;

  constructor(scope: Construct, id: string, props: AlertingProps) {
    super(scope, id);
    // Thirty seconds are enough for a few hundred alerts; the remaining work continues in a new
    // message.
    this.lists = new ActorQueue(this, 'Lists', { handlerTimeout: Duration.seconds(30) });
    this.channels = new ActorQueue(this, 'Channels', { handlerTimeout: Duration.seconds(30) });
    this.stackTopic = this.operatorsTopic(props.stage);
    this.listTopics = `floorwatch-${props.stage.name}-`;
    const { stage, table } = props;
    this.#bounces = new Bounces(this, 'Bounces', { stage, table, listTopics: this.listTopics });
    this.runJobs = this.notifier(props);
    this.deliverMessages(props);
  }

  /** The queue that SNS uses for messages that a subscription of a list rejected. */
  get undelivered(): IQueue {
    return this.#bounces.undelivered;
  }

  private operatorsTopic(stage: Stage): ITopic {
    const topic = new Topic(this, 'StackTopic', {
      // An explicit name: a generated one would share the prefix of the run-time topics.
      topicName: `alerts-of-floorwatch-${stage.name}`,
      displayName: `floorwatch ${stage.name}`,
      enforceSSL: true,
    });
    // The AWS managed key of SNS. SNS accepts it only by this alias, but `masterKey` would render
    // an ARN.
    (topic.node.defaultChild as CfnTopic).kmsMasterKeyId = 'alias/aws/sns';
    tellOperators(topic, stage);
    return topic;
  }

  private notifier({ stage, table, contractsUrl }: AlertingProps) {
    const runJobs = new NodeFunction(this, 'RunJobs', {
      folder: 'run-jobs',
      reserved: CONCURRENCY.runJobs,
      environmentSchema: RunJobsEnvironment,
      environment: {
        STAGE: stage.name,
        WATCH_TABLE: table.tableName,
        CONTRACTS_QUEUE_URL: contractsUrl,
        CHANNELS_QUEUE_URL: this.channels.queue.queueUrl,
        STACK_TOPIC_ARN: this.stackTopic.topicArn,
        TOPIC_PREFIX: this.listTopics,
        UNDELIVERED_QUEUE_ARN: this.#bounces.undelivered.queueArn,
        ...operatorVariables(stage),
        ...cadenceVariables(stage),
        ...upstreamVariables(stage),
      },
      timeout: this.lists.handlerTimeout,
      // Alerts wait for the cold start of this function. Less memory would slow it down at the same
      // price.
      memorySize: 512,
      stage,
    });
    table.grantItems(runJobs, {
      'WATCHES#*': ['GetItem', 'Query'],
      'TENANT#*': ['GetItem', 'PutItem', 'Query'],
      'JOBS#*': ['GetItem', 'PutItem', 'DeleteItem', 'Query'],
      'INTENT#*': ['PutItem'],
      'LIST#*': ['GetItem', 'PutItem', 'Query'],
      // Reports of lists and the current value in escalations need the prices.
      'CONTRACTS#*': ['GetItem'],
      'HISTORY#*': ['Query'],
      'COLLECTION#*': ['GetItem'],
      'INBOX#*': ['PutItem'],
      STACK: ['GetItem', 'PutItem'],
      // For lists that follow a wallet: within the tenant's share, the function requests the
      // wallet's collections from the provider, and updates the lists.
      'CHANGES#*': ['PutItem'],
      'USAGE#*': ['GetItem', 'PutItem'],
      UPSTREAM: ['GetItem', 'PutItem'],
    });
    runJobs.allowParameter(stage.upstreamKeyParameter);
    this.channels.grantSend(runJobs);
    this.allowOnListTopics(runJobs, [
      'sns:CreateTopic',
      'sns:DeleteTopic',
      'sns:GetSubscriptionAttributes',
      'sns:GetTopicAttributes',
      'sns:ListSubscriptionsByTopic',
      'sns:SetSubscriptionAttributes',
      'sns:SetTopicAttributes',
    ]);
    // An attacker who controls the function cannot subscribe HTTP endpoints or phones.
    this.allowOnListTopics(runJobs, ['sns:Subscribe'], {
      StringEquals: { 'sns:Protocol': ['email', 'sqs'] },
    });
    this.lists.consumeWith(runJobs.lambda, {
      batchSize: BATCH.runJobs,
      maxConcurrency: CONCURRENCY.runJobs,
    });
    return runJobs;
  }

  private deliverMessages({ stage, table, publicUrl }: AlertingProps): void {
    const { emailSender: sender } = stage;
    const { recordBounces } = this.#bounces;
    const emails = sender && new Emails(this, 'Emails', { stage, sender, recordBounces });
    const deliverMessages = new NodeFunction(this, 'DeliverMessages', {
      folder: 'deliver-messages',
      reserved: CONCURRENCY.deliverMessages,
      environmentSchema: DeliverMessagesEnvironment,
      environment: {
        STAGE: stage.name,
        WATCH_TABLE: table.tableName,
        CHANNELS_QUEUE_URL: this.channels.queue.queueUrl,
        STACK_TOPIC_ARN: this.stackTopic.topicArn,
        TOPIC_PREFIX: this.listTopics,
        ...(emails && {
          EMAIL_SENDER: sender,
          EMAIL_CONFIGURATION_SET: emails.configurationSet,
        }),
        CHAT_ORIGINS: JSON.stringify(stage.chatOrigins),
        CHANNEL_KEY_PARAMETER: stage.channelKeyParameter,
        PUSH_KEY_PARAMETER: stage.pushKeyParameter,
        WEBHOOK_DESTINATIONS: stage.webhookDestinations,
        LINK_KEY_PARAMETER: stage.linkKeyParameter,
        PUBLIC_URL: publicUrl,
        ...(stage.slackWebhookParameter && {
          SLACK_WEBHOOK_PARAMETER: stage.slackWebhookParameter,
        }),
      },
      timeout: this.channels.handlerTimeout,
      // A digest of up to a thousand alerts needs memory. Most of the time the function waits for
      // other services.
      memorySize: 512,
      goesOnByMessage: true,
      stage,
    });
    table.grantItems(deliverMessages, {
      'INBOX#*': ['GetItem', 'PutItem', 'DeleteItem', 'Query'],
      'LIST#*': ['GetItem', 'PutItem'],
      'TENANT#*': ['GetItem', 'PutItem', 'DeleteItem'],
      // Read for the state and the current value in summaries.
      'WATCHES#*': ['GetItem'],
      'CONTRACTS#*': ['GetItem'],
      'HISTORY#*': ['Query'],
      'JOBS#*': ['GetItem', 'PutItem'],
      'INTENT#*': ['PutItem'],
      STACK: ['GetItem', 'PutItem'],
    });
    if (emails) emails.allowSending(deliverMessages);
    this.channels.grantSend(deliverMessages);
    this.stackTopic.grantPublish(deliverMessages);
    this.allowOnListTopics(deliverMessages, ['sns:Publish']);
    deliverMessages.allowParameter(stage.channelKeyParameter);
    deliverMessages.allowParameter(stage.pushKeyParameter);
    deliverMessages.allowParameter(stage.linkKeyParameter);
    if (stage.slackWebhookParameter) deliverMessages.allowParameter(stage.slackWebhookParameter);
    // Each invocation handles one channel, so a channel that hangs delays no other.
    const maxConcurrency = CONCURRENCY.deliverMessages;
    this.channels.consumeWith(deliverMessages.lambda, { batchSize: 1, maxConcurrency });
  }

  /** Allows actions on the topics of lists, whose names are chosen at run time. */
  allowOnListTopics(
    grantee: IGrantable & IConstruct,
    actions: readonly string[],
    conditions: Conditions = {},
  ): void {
    const stack = Stack.of(this);
    const resource = `${this.listTopics}*`;
    grantee.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({
        actions: [...actions],
        resources: [stack.formatArn({ service: 'sns', resource })],
        conditions,
      }),
    );
    acknowledgeWildcard(grantee, {
      service: 'sns',
      resource,
      reason: 'Topics of lists are created at run time. No other topic has this prefix.',
    });
  }
}
