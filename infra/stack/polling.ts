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
import type * as z from 'zod';
import { PollPricesEnvironment } from '#functions/poll-prices/environment.ts';
import { RunContractsEnvironment } from '#functions/run-contracts/environment.ts';
import { WakeWorkEnvironment } from '#functions/wake-work/environment.ts';
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
} from './upstream-variables.ts';
import type { WatchTable } from './watch-table.ts';

type TickedFunction = Pick<NodeFunction<z.ZodObject>, 'lambda' | 'node'>;

export type PollingProps = {
  readonly stage: Stage;
  readonly table: WatchTable;
  readonly lists: ActorQueue;
  readonly channels: ActorQueue;
};

/** The function ends before the next tick, which continues the remaining work. */
const TICK_TIMEOUT = Duration.seconds(58);

/** Polls the watched contracts, evaluates their watches, and wakes other due work, each minute. */
export class Polling extends Construct {
  readonly contracts: ActorQueue;
  /** Ticks that could not be delivered or handled; the next tick catches up. */
  readonly missedTicks: IQueue;
  readonly wakeWork: IFunction;

  constructor(scope: Construct, id: string, props: PollingProps) {
    super(scope, id);
    // An evaluation that takes longer than this timeout continues in a new message.
    this.contracts = new ActorQueue(this, 'Contracts', { handlerTimeout: Duration.seconds(30) });
    this.runContracts(props);
    const wakeWork = this.wake(props);
    this.wakeWork = wakeWork.lambda;
    this.missedTicks = this.tick([wakeWork, this.pollPrices(props)]);
  }

  /** Asks the providers for prices. */
  private pollPrices({ stage, table }: PollingProps): TickedFunction {
    const pollPrices = new NodeFunction(this, 'PollPrices', {
      folder: 'poll-prices',
      reserved: CONCURRENCY.pollPrices,
      environmentSchema: PollPricesEnvironment,
      environment: {
        STAGE: stage.name,
        WATCH_TABLE: table.tableName,
        CONTRACTS_QUEUE_URL: this.contracts.queue.queueUrl,
        ...cadenceVariables(stage),
        ...allProvidersVariables(stage),
        ...keyEndVariables(stage),
      },
      timeout: TICK_TIMEOUT,
      // The function mostly waits for providers, but many calls a second need a full processor.
      memorySize: stage.upstreamCallsPerSecond > 30 ? 1769 : 512,
      stage,
    });
    table.grantItems(pollPrices, {
      'CONTRACTS#*': ['GetItem', 'PutItem', 'Query'],
      'DISPATCH#*': ['GetItem', 'PutItem'],
      'HISTORY#*': ['PutItem', 'Query'],
      'TRADES#*': ['GetItem', 'PutItem', 'Query'],
      UPSTREAM: ['GetItem', 'PutItem'],
    });
    this.contracts.grantSend(pollPrices);
    for (const key of keyParametersOf(stage)) pollPrices.allowParameter(key);
    return pollPrices;
  }

  /** Sends lists and channels their due work. */
  private wake({ stage, table, lists, channels }: PollingProps): TickedFunction {
    const wakeWork = new NodeFunction(this, 'WakeWork', {
      folder: 'wake-work',
      reserved: CONCURRENCY.wakeWork,
      environmentSchema: WakeWorkEnvironment,
      environment: {
        STAGE: stage.name,
        WATCH_TABLE: table.tableName,
        LISTS_QUEUE_URL: lists.queue.queueUrl,
        CHANNELS_QUEUE_URL: channels.queue.queueUrl,
      },
      timeout: TICK_TIMEOUT,
      // The function sleeps for most of each minute in which channels are due, so it needs little
      // memory.
      memorySize: 256,
      stage,
    });
    table.grantItems(wakeWork, {
      'DISPATCH#*': ['GetItem', 'PutItem'],
      'INTENT#*': ['GetItem', 'PutItem', 'DeleteItem'],
      'INBOX#*': ['Query'],
    });
    table.grantDueIndex(wakeWork);
    lists.grantSend(wakeWork);
    channels.grantSend(wakeWork);
    return wakeWork;
  }

  /** Invokes functions each minute. Returns the queue of ticks that failed. */
  private tick(functions: readonly TickedFunction[]): IQueue {
    // The next tick catches up, so a late or failed tick is not retried.
    const retries = { retryAttempts: 0, maxEventAge: Duration.minutes(1) };
    const missedTicks = new Queue(this, 'MissedTicks', {
      // The next tick has caught up, so entries are only for information and expire soon.
      retentionPeriod: Duration.days(1),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
    const missedTicksAreTheEnd = 'This queue holds failed ticks. The next tick catches up.';
    for (const id of [
      'AwsSolutions::AwsSolutions-SQS3',
      'Serverless::Serverless-SQSRedrivePolicy',
    ]) {
      Validations.of(missedTicks).acknowledge({ id, reason: missedTicksAreTheEnd });
    }
    const role = this.tickRole(
      functions.map(({ lambda }) => lambda),
      missedTicks,
    );
    for (const { lambda, node } of functions) {
      new EventInvokeConfig(this, `${node.id}Failures`, {
        function: lambda,
        onFailure: new SqsDestination(missedTicks),
        ...retries,
      });
      new Schedule(this, `${node.id}Tick`, {
        schedule: ScheduleExpression.rate(Duration.minutes(1)),
        target: new LambdaInvoke(lambda, {
          input: ScheduleTargetInput.fromObject({ time: ContextAttribute.scheduledTime }),
          deadLetterQueue: missedTicks,
          role,
          ...retries,
        }),
      });
    }
    return missedTicks;
  }

  /** The role of the schedule. The role that CDK creates by default may also invoke any version. */
  private tickRole(functions: readonly IFunction[], missedTicks: IQueue): IRole {
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
        resources: functions.map(({ functionArn }) => functionArn),
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
      },
      timeout: this.contracts.handlerTimeout,
      // Less memory would slow down each cold start and each evaluation.
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
      'INTENT#*': ['PutItem'],
    });
    table.grantLocalIndexes(runContracts);
    this.contracts.grantSend(runContracts);
    channels.grantSend(runContracts);
    this.contracts.consumeWith(runContracts.lambda, {
      batchSize: 1,
      maxConcurrency: CONCURRENCY.runContracts,
    });
  }
}
