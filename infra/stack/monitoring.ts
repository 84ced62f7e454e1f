import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IConstruct } from 'constructs';
import { ActorQueue } from './actor-queue.ts';
import { Alarms, type Severity } from './alarms.ts';
import { StackDashboard } from './dashboard.ts';
import { type MeasuredFunction, measuresOf } from './measures.ts';
import { NodeFunction } from './node-function.ts';
import { tellOperators } from './operator-emails.ts';
import type { Stage } from './stages.ts';
import type { WatchTable } from './watch-table.ts';

export type MonitoringProps = {
  readonly stage: Stage;
  readonly table: WatchTable;
  readonly api: RestApi;
  readonly missedTicks: IQueue;
  readonly wakeWork: IFunction;
  readonly canary: IQueue;
};

/**
 * Reports operators how the stack does: alarms by email, and a dashboard where the stage has one. It
 * looks at every function and every queue that the stack has by then, so it comes last.
 */
export class Monitoring extends Construct {
  /** Each gets the alarms of one severity, and their ends. */
  readonly topics: Readonly<Record<Severity, ITopic>>;
  readonly dashboardUrl: string | undefined;

  constructor(scope: Construct, id: string, { stage, ...watched }: MonitoringProps) {
    super(scope, id);
    this.topics = {
      page: this.topic(stage, 'AlarmTopic', 'alarms'),
      ticket: this.topic(stage, 'TicketTopic', 'tickets'),
    };
    const all = Stack.of(this).node.findAll();
    const measures = measuresOf({
      ...{ stage, ...watched },
      functions: all.filter(isFunction),
      queues: all.filter(isQueue),
    });
    const alarms = new Alarms(this, 'Alarms', { stage, measures, topics: this.topics });
    if (!stage.hasDashboard) return;
    const { all: shown } = alarms;
    const { region } = Stack.of(this);
    const dashboard = new StackDashboard(this, 'Dashboard', { stage, measures, alarms: shown });
    this.dashboardUrl = `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#dashboards/dashboard/${dashboard.dashboardName}`;
  }

  /**
   * Not encrypted at rest: alarms name metrics of ours and nothing of a tenant's, and a key whose
   * policy does not let CloudWatch in would swallow them unsaid. (SNS's own key never lets it in.)
   */
  private topic(stage: Stage, id: string, what: string): ITopic {
    const topic = new Topic(this, id, {
      // As that of all alerts: no name that begins like those of topics made at run time.
      topicName: `${what}-of-floorwatch-${stage.name}`,
      displayName: `floorwatch ${stage.name} ${what}`,
      enforceSSL: true,
    });
    // A policy of our own, as the refusal of plain HTTP is one, takes the place of the usual one.
    const { account } = Stack.of(this);
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: {
          StringEquals: { 'aws:SourceAccount': account },
          ArnLike: {
            'aws:SourceArn': Stack.of(this).formatArn({
              service: 'cloudwatch',
              resource: 'alarm',
              resourceName: `floorwatch-${stage.name}-*`,
              arnFormat: ArnFormat.COLON_RESOURCE_NAME,
            }),
          },
        },
      }),
    );
    tellOperators(topic, stage);
    return topic;
  }
}

function isFunction(construct: IConstruct): construct is MeasuredFunction {
  return construct instanceof NodeFunction;
}

function isQueue(construct: IConstruct): construct is ActorQueue {
  return construct instanceof ActorQueue;
}
