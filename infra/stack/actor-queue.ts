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
  /** The timeout of the function that consumes it. */
  readonly handlerTimeout: Duration;
};

export type ConsumerProps = {
  readonly batchSize: number;
  /** How many actors may be at work at once. */
  readonly maxConcurrency: number;
};

/**
 * A queue whose message groups are actors: what happens to one of them is handled
 * in order, one message at a time. A message is a hint, worth nothing after a
 * quarter of an hour; one that keeps failing lands in `deadLetters`.
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
      reason: 'It is a dead-letter queue.',
    });
    this.deadLetters = deadLetters;
    this.queue = new Queue(this, 'Queue', {
      fifo: true,
      // High throughput: both are per message group, so groups do not share a limit.
      deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
      fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
      contentBasedDeduplication: false,
      retentionPeriod: Duration.minutes(15),
      visibilityTimeout: Duration.seconds(6 * handlerTimeout.toSeconds()),
      // As often as fits into the retention, or a failing message would vanish instead.
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: 4 },
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
  }

  /** Lets a function handle its messages; those that it reports as failed come again. */
  consumeWith(consumer: IFunction, { batchSize, maxConcurrency }: ConsumerProps): void {
    consumer.addEventSource(
      new SqsEventSource(this.queue, { batchSize, maxConcurrency, reportBatchItemFailures: true }),
    );
    Validations.of(consumer).acknowledge({
      id: 'Serverless::Serverless-LambdaEventSourceMappingDestination',
      reason: 'SQS event sources have no such destination: the queue has a redrive policy.',
    });
  }

  grantSend(grantee: IGrantable): void {
    this.queue.grant(grantee, 'sqs:SendMessage');
  }
}
