import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  Metric as CloudWatchMetric,
  type IMetric,
  MathExpression,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { type Metric, NAMESPACE } from '#shared/runtime/metrics.ts';
import type { ActorQueue } from './actor-queue.ts';
import type { Stage } from './stages.ts';
import type { WatchTable } from './watch-table.ts';

type Statistic = 'Sum' | 'Average' | 'Maximum' | 'p50' | 'p95';

/** One of our functions, with its construct id in the stack. */
export type MeasuredFunction = IConstruct & { readonly lambda: IFunction };

/** The resources of a stack that alarms and the dashboard monitor. */
export type Measured = {
  readonly stage: Stage;
  readonly functions: readonly MeasuredFunction[];
  readonly queues: readonly ActorQueue[];
  readonly missedTicks: IQueue;
  readonly wakeWork: IFunction;
  /** The queue to which the messages of the canary return. */
  readonly canary: IQueue;
  readonly table: WatchTable;
  readonly api: RestApi;
};

/** The metrics of a stack and of its AWS resources, in periods of five minutes. */
export type Measures = Omit<Measured, 'stage'> & {
  /** A metric that our functions publish through their logs. */
  readonly own: (metric: Metric, statistic: Statistic, period?: Duration) => CloudWatchMetric;
  /**
   * A percentage, computed by a formula over `delivered` (alerts) and `late` (alerts later than a
   * minute).
   */
  readonly ofDelivered: (expression: string, label: string, period?: Duration) => IMetric;
  /**
   * The sum over all functions of the account and region, because CloudWatch has no sum per stack.
   */
  readonly ofAllFunctions: (metricName: 'Errors' | 'Throttles') => CloudWatchMetric;
  readonly of: (lambda: IFunction, metricName: string, statistic: Statistic) => CloudWatchMetric;
  /** The number of successful invocations of a function. */
  readonly successesOf: (lambda: IFunction, period: Duration) => IMetric;
  readonly ageOf: (queue: IQueue) => CloudWatchMetric;
  readonly depthOf: (queue: IQueue) => CloudWatchMetric;
  readonly ofApi: (metricName: string, statistic: Statistic) => CloudWatchMetric;
  readonly ofTable: (metricName: string) => CloudWatchMetric;
  /** Throttled reads and writes of the table and of its index, as separate metrics. */
  readonly throttlesOfTable: readonly CloudWatchMetric[];
};

const PERIOD = Duration.minutes(5);

export function createMeasures({ stage, ...measured }: Measured): Measures {
  const { table, api } = measured;
  const ofTable = (metricName: string, index: { GlobalSecondaryIndexName?: string } = {}) =>
    new CloudWatchMetric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: { TableName: table.tableName, ...index },
      statistic: 'Sum',
      period: PERIOD,
    });
  const own: Measures['own'] = (metricName, statistic, period = PERIOD) =>
    new CloudWatchMetric({
      namespace: NAMESPACE,
      metricName,
      dimensionsMap: { Stage: stage.name },
      statistic,
      period,
    });
  return {
    ...measured,
    own,
    ofDelivered: (expression, label, period = PERIOD) =>
      new MathExpression({
        ...{ expression, label, period },
        usingMetrics: { late: own('AlertsLate', 'Sum'), delivered: own('AlertsDelivered', 'Sum') },
      }),
    ofAllFunctions: (metricName) =>
      new CloudWatchMetric({
        namespace: 'AWS/Lambda',
        metricName,
        statistic: 'Sum',
        period: PERIOD,
      }),
    of: (lambda, metricName, statistic) => lambda.metric(metricName, { statistic, period: PERIOD }),
    successesOf: (lambda, period) =>
      new MathExpression({
        ...{ expression: 'invoked - failed', period },
        usingMetrics: {
          invoked: lambda.metricInvocations({ period }),
          failed: lambda.metricErrors({ period }),
        },
      }),
    ageOf: (queue) => queue.metricApproximateAgeOfOldestMessage({ period: PERIOD }),
    depthOf: (queue) => queue.metricApproximateNumberOfMessagesVisible({ period: PERIOD }),
    ofApi: (metricName, statistic) =>
      new CloudWatchMetric({
        namespace: 'AWS/ApiGateway',
        metricName,
        dimensionsMap: { ApiName: api.restApiName, Stage: stage.name },
        statistic,
        period: PERIOD,
      }),
    ofTable,
    throttlesOfTable: [{}, DUE].flatMap((index) =>
      ['ReadThrottleEvents', 'WriteThrottleEvents'].map((metricName) =>
        ofTable(metricName, index).with({
          label: `${metricName}${index === DUE ? ' (index)' : ''}`,
        }),
      ),
    ),
  };
}

const DUE = { GlobalSecondaryIndexName: 'due' };
