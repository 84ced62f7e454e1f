import { Duration, Validations } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import {
  DeduplicationScope,
  FifoThroughputLimit,
  type IQueue,
  Queue,
  QueueEncryption,
} from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

export type ActorQueueProps = {
  /** The timeout of the function that consumes the queue. */
  readonly handlerTimeout: Duration;
};

export type ConsumerProps = {
  readonly batchSize: number;
  /** Maximum number of actors that run in parallel. */
  readonly maxConcurrency: number;
};

/**
 * A queue whose message groups are actors: the messages of one actor are handled in order, one at a
 * time. A message only signals that there is work, so it expires after a quarter of an hour.
 * Messages that keep failing go to `deadLetters`.
 */
export class ActorQueue extends Construct {
  readonly queue: IQueue;
  readonly deadLetters: IQueue;
  readonly handlerTimeout: Duration;

  constructor(scope: Construct, id: string, { handlerTimeout }: ActorQueueProps) {
    super(scope, id);
    this.handlerTimeout = handlerTimeout;
    const deadLetters = new Queue(this, 'DeadLetters', {
      fifo: true,
      retentionPeriod: Duration.days(14),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
    Validations.of(deadLetters).acknowledge({
      id: 'Serverless::Serverless-SQSRedrivePolicy',
      reason: 'This queue is itself a dead-letter queue.',
    });
    this.deadLetters = deadLetters;
    this.queue = new Queue(this, 'Queue', {
      fifo: true,
      // High throughput: deduplication and the rate limit are per message group, so groups share no
      // limit.
      deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
      fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
      contentBasedDeduplication: false,
      retentionPeriod: Duration.minutes(15),
      visibilityTimeout: Duration.seconds(6 * handlerTimeout.toSeconds()),
      // The maximum that fits into the retention period. With more receives, a failing message
      // would expire before it reaches the dead-letter queue.
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: 4 },
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
  }

  /** Makes a function consume the messages; SQS redelivers those that it reports as failed. */
  consumeWith(consumer: IFunction, { batchSize, maxConcurrency }: ConsumerProps): void {
    consumer.addEventSource(
      new SqsEventSource(this.queue, { batchSize, maxConcurrency, reportBatchItemFailures: true }),
    );
    Validations.of(consumer).acknowledge({
      id: 'Serverless::Serverless-LambdaEventSourceMappingDestination',
      reason:
        'SQS event sources support no on-failure destination. The queue has a redrive policy instead.',
    });
  }

  grantSend(grantee: IGrantable): void {
    this.queue.grant(grantee, 'sqs:SendMessage');
  }
}
