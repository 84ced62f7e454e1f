import { join } from 'node:path';
import { CfnResource, type Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  type IGrantable,
  type IPrincipal,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import { Architecture, RecursiveLoop, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type * as z from 'zod';
import { bundling, FILES, withFiles } from './bundling.ts';
import type { Stage } from './stages.ts';

export type NodeFunctionProps<Environment extends z.ZodObject> = {
  /** Its folder in `functions`; the handler is `handler.ts` in there. */
  readonly folder: string;
  readonly environmentSchema: Environment;
  readonly environment: { readonly [Name in keyof z.input<Environment>]: string };
  /** A folder of files that it reads, at `filesFolder`. */
  readonly files?: string;
  readonly timeout: Duration;
  /**
   * Megabytes. A function of ours takes 70 of them when it has started, but as much processor comes along as
   * there is memory: 1,769 are one. So work costs the same with less, and takes longer; what is
   * paid for in vain is waiting with more.
   */
  readonly memorySize: number;
  /**
   * Whether it leaves what it has no time for to a message to itself. Lambda takes a chain of
   * sixteen of them for a mistake otherwise, and ends it.
   */
  readonly goesOnByMessage?: boolean;
  /** Invocations at once that no other function of the account may take, where the stage reserves any. */
  readonly reserved?: number;
  readonly stage: Pick<Stage, 'logRetention' | 'tracing' | 'reservesConcurrency'>;
};

/** Where a function finds its files; where nothing is bundled, they are read where they were made. */
export function filesFolder(scope: Construct, made: string): string {
  return Stack.of(scope).bundlingRequired ? FILES : made;
}

/** A function of ours, with its own log group and a role that may at first do nothing but log. */
export class NodeFunction<Environment extends z.ZodObject> extends Construct implements IGrantable {
  readonly lambda: NodejsFunction;
  readonly grantPrincipal: IPrincipal;

  constructor(scope: Construct, id: string, props: NodeFunctionProps<Environment>) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Logs', {
      retention: props.stage.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    logGroup.grantWrite(role);
    this.grantPrincipal = role;
    this.lambda = new NodejsFunction(this, 'Lambda', {
      entry: join(import.meta.dirname, '..', '..', 'functions', props.folder, 'handler.ts'),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      role,
      logGroup,
      bundling: props.files === undefined ? bundling : withFiles(props.files),
      timeout: props.timeout,
      memorySize: props.memorySize,
      environment: { ...props.environment },
      ...(props.stage.reservesConcurrency &&
        props.reserved !== undefined && { reservedConcurrentExecutions: props.reserved }),
      awsSdkConnectionReuse: false,
      ...(props.goesOnByMessage && { recursiveLoop: RecursiveLoop.ALLOW }),
      tracing: props.stage.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
    });
    const resource = this.lambda.node.defaultChild;
    if (CfnResource.isCfnResource(resource)) {
      // Where the local runtime finds the sources.
      resource.addMetadata('floorwatch:folder', props.folder);
    }
    const validations = Validations.of(this);
    validations.acknowledge({
      id: 'Serverless::Serverless-LambdaDLQ',
      reason:
        'Only asynchronous events use it. Queues and API Gateway wait for an answer, failed ticks have a destination, and lost reports of SES are repeated.',
    });
    validations.acknowledge(
      props.stage.tracing
        ? {
            id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
            reason: 'X-Ray has no resources to name.',
          }
        : {
            id: 'Serverless::Serverless-LambdaTracing',
            reason: 'Tracing is billed, so the stage has it off.',
          },
    );
  }

  /** Lets it read one SSM parameter; a SecureString under the account's own SSM key needs no more. */
  allowParameter(name: string): void {
    this.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({
        // Code of the release before reads by `GetParameter` while an update or a rollback runs.
        actions: ['ssm:GetParameters', 'ssm:GetParameter'],
        resources: [
          Stack.of(this).formatArn({
            service: 'ssm',
            resource: 'parameter',
            resourceName: name.slice(1),
          }),
        ],
      }),
    );
  }
}
