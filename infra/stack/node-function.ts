import { join } from 'node:path';
import {
  CfnResource,
  type Duration,
  RemovalPolicy,
  Stack,
  Stage as Synthesis,
  Validations,
} from 'aws-cdk-lib';
import {
  type IGrantable,
  type IPrincipal,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  RecursiveLoop,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type * as z from 'zod';
import { FILES, FUNCTIONS, writeBundle } from './bundling.ts';
import type { Stage } from './stages.ts';

export type NodeFunctionProps<Environment extends z.ZodObject> = {
  /** The folder of the function in `functions`; the handler is `handler.ts` in it. */
  readonly folder: string;
  readonly environmentSchema: Environment;
  readonly environment: { readonly [Name in keyof z.input<Environment>]: string };
  /** A folder of files that the function reads from `filesFolder`. */
  readonly files?: string;
  readonly timeout: Duration;
  /**
   * In MB. A running function uses about 70 MB, but its share of a processor grows with this size:
   * 1,769 MB give one processor. With less memory, computation takes longer at the same cost. With
   * more memory, only waiting costs more.
   */
  readonly memorySize: number;
  /**
   * Whether the function continues unfinished work through a message to itself. By default Lambda
   * stops a chain of sixteen such messages, because it looks like a recursive loop.
   */
  readonly goesOnByMessage?: boolean;
  /** The concurrency reserved for this function, if the stage reserves any. */
  readonly reserved?: number;
  readonly stage: Pick<Stage, 'logRetention' | 'tracing' | 'reservesConcurrency'>;
};

/**
 * The folder of a function's files. Without bundling, the function reads them from the folder where
 * they were created.
 */
export function filesFolder(scope: Construct, made: string): string {
  return Stack.of(scope).bundlingRequired ? FILES : made;
}

/** The bundle of a function. Without bundling, the folder of its sources. */
function codeOf(scope: Construct, { folder, files }: NodeFunctionProps<z.ZodObject>): string {
  return Stack.of(scope).bundlingRequired
    ? writeBundle(Synthesis.of(scope)?.outdir ?? '', folder, files)
    : join(FUNCTIONS, folder);
}

/**
 * One of our functions, with its own log group and a role that at first allows nothing but logging.
 */
export class NodeFunction<Environment extends z.ZodObject> extends Construct implements IGrantable {
  readonly lambda: LambdaFunction;
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
    this.lambda = new LambdaFunction(this, 'Lambda', {
      code: Code.fromAsset(codeOf(this, props)),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      role,
      logGroup,
      timeout: props.timeout,
      memorySize: props.memorySize,
      environment: { ...props.environment },
      ...(props.stage.reservesConcurrency &&
        props.reserved !== undefined && { reservedConcurrentExecutions: props.reserved }),
      ...(props.goesOnByMessage && { recursiveLoop: RecursiveLoop.ALLOW }),
      tracing: props.stage.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
    });
    const resource = this.lambda.node.defaultChild;
    if (CfnResource.isCfnResource(resource)) {
      // With this metadata the local runtime finds the sources.
      resource.addMetadata('floorwatch:folder', props.folder);
    }
    const validations = Validations.of(this);
    validations.acknowledge({
      id: 'Serverless::Serverless-LambdaDLQ',
      reason:
        'Lambda uses a dead-letter queue only for asynchronous events. Queues and API Gateway wait for the result, failed ticks have a destination, and lost reports of SES are repeated.',
    });
    validations.acknowledge(
      props.stage.tracing
        ? {
            id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
            reason: 'X-Ray has no resources to name.',
          }
        : {
            id: 'Serverless::Serverless-LambdaTracing',
            reason: 'Tracing is billed, so this stage does not enable it.',
          },
    );
  }

  /**
   * Allows reading one SSM parameter. A SecureString under the account's default SSM key needs no
   * other permission.
   */
  allowParameter(name: string): void {
    this.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({
        // The previous release reads by `GetParameter`; it still runs during an update or a
        // rollback.
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
