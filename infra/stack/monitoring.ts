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
import { createMeasures, type MeasuredFunction } from './measures.ts';
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
 * Reports the state of the stack to operators: alarms by email, and a dashboard where the stage has
 * one. It monitors every function and queue that exists when it is created, so it must be created
 * last.
 */
export class Monitoring extends Construct {
  /** The topic for the alarms of each severity, and for their OK messages. */
  readonly topics: Readonly<Record<Severity, ITopic>>;
  readonly dashboardUrl: string | undefined;

  constructor(scope: Construct, id: string, { stage, ...watched }: MonitoringProps) {
    super(scope, id);
    this.topics = {
      page: this.topic(stage, 'AlarmTopic', 'alarms'),
      ticket: this.topic(stage, 'TicketTopic', 'tickets'),
    };
    const all = Stack.of(this).node.findAll();
    const measures = createMeasures({
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
   * Not encrypted at rest: alarms name only our metrics, never a tenant's data. CloudWatch cannot
   * publish to a topic that is encrypted with the AWS managed key of SNS. With another key, alarms
   * would vanish silently if the key's policy did not allow CloudWatch.
   */
  private topic(stage: Stage, id: string, what: string): ITopic {
    const topic = new Topic(this, id, {
      // An explicit name, as for the topic of alerts: it must not share the prefix of the run-time
      // topics.
      topicName: `${what}-of-floorwatch-${stage.name}`,
      displayName: `floorwatch ${stage.name} ${what}`,
      enforceSSL: true,
    });
    // `enforceSSL` adds a policy, which replaces the default one, so the permission to publish is
    // added here.
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
