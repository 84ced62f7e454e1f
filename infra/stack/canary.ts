import { ArnFormat, Duration, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { topicNames } from '#shared/domain/channels/list-topic.ts';
import { CANARY_LIST } from '#shared/domain/market/canary.ts';
import { canaryQueue } from './stages.ts';

export type CanaryProps = {
  /** The name of the stage. */
  readonly stage: string;
  /** The prefix of the names of topics that are created at run time. */
  readonly listTopics: string;
};

/**
 * The queue to which the messages of the canary return. An alarm and `npm run operate -- status`
 * check that they return.
 */
export class Canary extends Construct {
  readonly queue: IQueue;

  constructor(scope: Construct, id: string, { stage, listTopics }: CanaryProps) {
    super(scope, id);
    const queue = new Queue(this, 'Queue', {
      queueName: canaryQueue(stage),
      // Two messages arrive each day, so one receive call can return all that are stored.
      retentionPeriod: Duration.days(3),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
    for (const finding of [
      'AwsSolutions::AwsSolutions-SQS3',
      'Serverless::Serverless-SQSRedrivePolicy',
    ]) {
      const reason = 'No function consumes the messages of this queue: only their arrival counts.';
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
            // Only the topics of the canary's list may send here, so no other list can imitate its
            // messages.
            'aws:SourceArn': Stack.of(this).formatArn({
              service: 'sns',
              resource: topicNames(listTopics, CANARY_LIST),
              arnFormat: ArnFormat.NO_RESOURCE_NAME,
            }),
          },
        },
      }),
    );
    this.queue = queue;
  }
}
