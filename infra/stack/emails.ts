import { Stack, Validations } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnConfigurationSet, CfnConfigurationSetEventDestination } from 'aws-cdk-lib/aws-ses';
import { Construct } from 'constructs';
import type { DeliverMessagesEnvironment } from '#functions/deliver-messages/environment.ts';
import type { RecordBouncesEnvironment } from '#functions/record-bounces/environment.ts';
import { acknowledgeWildcard } from './acknowledge-wildcard.ts';
import type { NodeFunction } from './node-function.ts';
import type { Stage } from './stages.ts';

export type EmailsProps = {
  readonly stage: Stage;
  /** The sender address of emails, verified in SES. */
  readonly sender: string;
  /** The function that records bounces on channels. */
  readonly recordBounces: NodeFunction<typeof RecordBouncesEnvironment>;
};

/** Email through SES: permission to send, and the handling of bounces and complaints. */
export class Emails extends Construct {
  /**
   * An explicit name, so that SES events about other emails of the account are not mistaken for
   * ours.
   */
  readonly configurationSet: string;
  readonly #sender: string;

  constructor(scope: Construct, id: string, { stage, sender, recordBounces }: EmailsProps) {
    super(scope, id);
    this.#sender = sender;
    this.configurationSet = `floorwatch-${stage.name}`;
    const set = new CfnConfigurationSet(this, 'ConfigurationSet', {
      name: this.configurationSet,
      // Makes SES suppress emails to addresses that bounced or complained, whatever the account's
      // default.
      suppressionOptions: { suppressedReasons: ['BOUNCE', 'COMPLAINT'] },
    });
    const reports = new CfnConfigurationSetEventDestination(this, 'Reports', {
      configurationSetName: this.configurationSet,
      eventDestination: {
        enabled: true,
        matchingEventTypes: ['bounce', 'complaint'],
        eventBridgeDestination: {
          eventBusArn: Stack.of(this).formatArn({
            service: 'events',
            resource: 'event-bus',
            resourceName: 'default',
          }),
        },
      },
    });
    reports.addResourceDependency(set);
    this.noteReports(recordBounces);
  }

  private noteReports(recordBounces: NodeFunction<typeof RecordBouncesEnvironment>): void {
    const rule = new Rule(this, 'Bounces', {
      eventPattern: {
        source: ['aws.ses'],
        detail: {
          eventType: ['Bounce', 'Complaint'],
          mail: { tags: { 'ses:configuration-set': [this.configurationSet] } },
        },
      },
      targets: [new LambdaFunction(recordBounces.lambda)],
    });
    Validations.of(rule).acknowledge({
      id: 'Serverless::Serverless-EventBusDLQ',
      reason:
        'EventBridge retries a report for a day. A lost report is repeated with the next email, which SES suppresses and reports again.',
    });
  }

  /**
   * Lets a function send from the sender address only. In the sandbox, SES also authorizes the
   * identity of each recipient, and tenants choose the recipients. So the resource is every
   * identity of the account, and the condition restricts the sender.
   */
  allowSending(deliverMessages: NodeFunction<typeof DeliverMessagesEnvironment>): void {
    const arnOf = (resource: string, resourceName: string) =>
      Stack.of(this).formatArn({ service: 'ses', resource, resourceName });
    deliverMessages.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({
        actions: ['ses:SendEmail'],
        resources: [arnOf('identity', '*'), arnOf('configuration-set', this.configurationSet)],
        conditions: { StringEquals: { 'ses:FromAddress': this.#sender } },
      }),
    );
    acknowledgeWildcard(deliverMessages, {
      service: 'ses',
      resource: 'identity/*',
      reason:
        'In the sandbox, SES also authorizes the identity of each recipient, and tenants choose the recipients. A condition restricts the sender.',
    });
  }
}
