import { ArnFormat, Duration, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { RecordBouncesEnvironment } from '#functions/record-bounces/environment.ts';
import { NodeFunction } from './node-function.ts';
import type { Stage } from './stages.ts';
import type { WatchTable } from './watch-table.ts';

export type BouncesProps = {
  readonly stage: Stage;
  readonly table: WatchTable;
  /** The prefix of the names of topics that are created at run time. */
  readonly listTopics: string;
};

/** Records on the channel that SNS or SES accepted a message but could not deliver it. */
export class Bounces extends Construct {
  /** The queue that SNS uses for messages that a subscription of a list rejected. */
  readonly undelivered: IQueue;
  readonly recordBounces: NodeFunction<typeof RecordBouncesEnvironment>;

  constructor(scope: Construct, id: string, { stage, table, listTopics }: BouncesProps) {
    super(scope, id);
    const timeout = Duration.seconds(30);
    this.undelivered = this.queue(listTopics, timeout);
    this.recordBounces = new NodeFunction(this, 'RecordBounces', {
      folder: 'record-bounces',
      environmentSchema: RecordBouncesEnvironment,
      environment: { STAGE: stage.name, WATCH_TABLE: table.tableName },
      timeout,
      memorySize: 256,
      stage,
    });
    table.grantItems(this.recordBounces, { 'TENANT#*': ['GetItem', 'PutItem'] });
    const { lambda } = this.recordBounces;
    lambda.addEventSource(new SqsEventSource(this.undelivered, { batchSize: 10 }));
    Validations.of(lambda).acknowledge({
      id: 'Serverless::Serverless-LambdaEventSourceMappingDestination',
      reason:
        'SQS event sources support no on-failure destination. A failed batch returns to the queue.',
    });
  }

  private queue(listTopics: string, handlerTimeout: Duration): IQueue {
    const queue = new Queue(this, 'Undelivered', {
      retentionPeriod: Duration.days(14),
      visibilityTimeout: Duration.seconds(6 * handlerTimeout.toSeconds()),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
    for (const finding of [
      'AwsSolutions::AwsSolutions-SQS3',
      'Serverless::Serverless-SQSRedrivePolicy',
    ]) {
      const reason =
        'This queue is itself a dead-letter queue. The function retries its messages for 14 days, and errors of the function raise an alarm.';
      Validations.of(queue).acknowledge({ id: finding, reason });
    }
    const { account } = Stack.of(this);
    queue.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('sns.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [queue.queueArn],
        conditions: {
          StringEquals: { 'aws:SourceAccount': account },
          ArnLike: {
            'aws:SourceArn': Stack.of(this).formatArn({
              service: 'sns',
              resource: `${listTopics}*`,
              arnFormat: ArnFormat.NO_RESOURCE_NAME,
            }),
          },
        },
      }),
    );
    return queue;
  }
}
