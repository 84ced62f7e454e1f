import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { type IRole, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { EventInvokeConfig, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import {
  ContextAttribute,
  Schedule,
  ScheduleExpression,
  ScheduleTargetInput,
} from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { DispatchWorkEnvironment } from '#functions/dispatch-work/environment.ts';
import { RunContractsEnvironment } from '#functions/run-contracts/environment.ts';
import { ActorQueue } from './actor-queue.ts';
import { CONCURRENCY } from './concurrency.ts';
import { NodeFunction } from './node-function.ts';
import { operatorVariables } from './operator-variables.ts';
import type { Stage } from './stages.ts';
import {
  allProvidersVariables,
  cadenceVariables,
  keyEndVariables,
  keyParametersOf,
  otherProvidersVariables,
  upstreamLimitVariables,
} from './upstream-variables.ts';
import type { WatchTable } from './watch-table.ts';

export type PollingProps = {
  readonly stage: Stage;
  readonly table: WatchTable;
  readonly lists: ActorQueue;
  readonly channels: ActorQueue;
};

/** Each minute finds what is due, and lets each contract be polled and its watches evaluated. */
export class Polling extends Construct {
  readonly contracts: ActorQueue;
  /** Ticks that could not be delivered or handled; the next tick makes up for them. */
  readonly missedTicks: IQueue;

  constructor(scope: Construct, id: string, props: PollingProps) {
    super(scope, id);
    // A call has a slot within ten seconds and takes eight at most; an evaluation that is longer
    // goes on in a message of its own.
    this.contracts = new ActorQueue(this, 'Contracts', { handlerTimeout: Duration.seconds(30) });
    this.runContracts(props);
    this.missedTicks = this.dispatchWork(props);
  }

  private dispatchWork({ stage, table, lists, channels }: PollingProps): IQueue {
    const dispatchWork = new NodeFunction(this, 'DispatchWork', {
      folder: 'dispatch-work',
      reserved: CONCURRENCY.dispatchWork,
      environmentSchema: DispatchWorkEnvironment,
      environment: {
        STAGE: stage.name,
        WATCH_TABLE: table.tableName,
        CONTRACTS_QUEUE_URL: this.contracts.queue.queueUrl,
        LISTS_QUEUE_URL: lists.queue.queueUrl,
        CHANNELS_QUEUE_URL: channels.queue.queueUrl,
        ...cadenceVariables(stage),
        ...upstreamLimitVariables(stage),
        ...otherProvidersVariables(stage),
        ...keyEndVariables(stage),
      },
      // Over before the next tick, which begins where this one has got to.
      timeout: Duration.seconds(58),
      // A minute's work for thousands of contracts; most of it is written and read side by side.
      memorySize: 512,
      stage,
    });
    table.grantItems(dispatchWork, {
      'CONTRACTS#*': ['Query'],
      'DISPATCH#*': ['GetItem', 'PutItem'],
      'HINTS#*': ['GetItem', 'PutItem', 'DeleteItem'],
      'INBOX#*': ['Query'],
      UPSTREAM: ['GetItem', 'PutItem'],
    });
    table.grantDueIndex(dispatchWork);
    this.contracts.grantSend(dispatchWork);
    lists.grantSend(dispatchWork);
    channels.grantSend(dispatchWork);

    // A late tick is worth nothing: the next one catches up. So nothing retries it.
    const retries = { retryAttempts: 0, maxEventAge: Duration.minutes(1) };
    const missedTicks = new Queue(this, 'MissedTicks', {
      // The next tick has made up for it, so it clears itself.
      retentionPeriod: Duration.days(1),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
    const missedTicksAreTheEnd = 'It holds failed ticks. The next tick catches up.';
    for (const id of [
      'AwsSolutions::AwsSolutions-SQS3',
      'Serverless::Serverless-SQSRedrivePolicy',
    ]) {
      Validations.of(missedTicks).acknowledge({ id, reason: missedTicksAreTheEnd });
    }
    new EventInvokeConfig(this, 'TickFailures', {
      function: dispatchWork.lambda,
      onFailure: new SqsDestination(missedTicks),
      ...retries,
    });
    new Schedule(this, 'Tick', {
      schedule: ScheduleExpression.rate(Duration.minutes(1)),
      target: new LambdaInvoke(dispatchWork.lambda, {
        input: ScheduleTargetInput.fromObject({ time: ContextAttribute.scheduledTime }),
        deadLetterQueue: missedTicks,
        role: this.tickRole(dispatchWork.lambda, missedTicks),
        ...retries,
      }),
    });
    return missedTicks;
  }

  /** What the schedule may do. The role that CDK makes by itself may also invoke any version. */
  private tickRole(dispatchWork: IFunction, missedTicks: IQueue): IRole {
    const stack = Stack.of(this);
    const ownSchedules = {
      'aws:SourceAccount': stack.account,
      'aws:SourceArn': stack.formatArn({
        service: 'scheduler',
        resource: 'schedule-group',
        resourceName: 'default',
      }),
    };
    const role = new Role(this, 'TickRole', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: ownSchedules },
      }),
    });
    role.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: [dispatchWork.functionArn],
      }),
    );
    missedTicks.grant(role, 'sqs:SendMessage');
    return role.withoutPolicyUpdates();
  }

  private runContracts({ stage, table, channels }: PollingProps): void {
    const runContracts = new NodeFunction(this, 'RunContracts', {
      folder: 'run-contracts',
      reserved: CONCURRENCY.runContracts,
      environmentSchema: RunContractsEnvironment,
      environment: {
        STAGE: stage.name,
        WATCH_TABLE: table.tableName,
        CONTRACTS_QUEUE_URL: this.contracts.queue.queueUrl,
        CHANNELS_QUEUE_URL: channels.queue.queueUrl,
        ...operatorVariables(stage),
        ...allProvidersVariables(stage),
      },
      timeout: this.contracts.handlerTimeout,
      // A poll waits for the upstream most of its time; less would stretch each start and each
      // look.
      memorySize: 512,
      goesOnByMessage: true,
      stage,
    });
    table.grantItems(runContracts, {
      'CONTRACTS#*': ['GetItem', 'PutItem'],
      'COLLECTION#*': ['GetItem'],
      'WATCHES#*': ['GetItem', 'PutItem', 'DeleteItem', 'Query'],
      'HISTORY#*': ['PutItem', 'Query'],
      'TENANT#*': ['GetItem'],
      'JOBS#*': ['GetItem', 'PutItem', 'DeleteItem'],
      'LIST#*': ['PutItem'],
      'INBOX#*': ['PutItem'],
      'HINTS#*': ['PutItem'],
      'TRADES#*': ['GetItem', 'PutItem', 'Query'],
      UPSTREAM: ['GetItem', 'PutItem'],
    });
    table.grantLocalIndexes(runContracts);
    this.contracts.grantSend(runContracts);
    channels.grantSend(runContracts);
    for (const key of keyParametersOf(stage)) runContracts.allowParameter(key);
    this.contracts.consumeWith(runContracts.lambda, {
      batchSize: 1,
      maxConcurrency: CONCURRENCY.runContracts,
    });
  }
}
