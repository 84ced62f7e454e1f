import { Duration, RemovalPolicy, Size, Validations } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  AuthorizationType,
  CfnRestApi,
  EndpointType,
  IdentitySource,
  LambdaIntegration,
  LogGroupLogDestination,
  type MethodDeploymentOptions,
  type MethodOptions,
  RequestAuthorizer,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct, type IConstruct } from 'constructs';
import { AuthorizeRequestEnvironment } from '#functions/authorize-request/environment.ts';
import { HTTP_FUNCTIONS, methodsOf, ROUTE_TABLES, withHead } from '#infra/http/route-tables.ts';
import type { Routes } from '#shared/http/route.ts';
import { answerWithProblems } from './gateway-responses.ts';
import { HTTP_FUNCTION_MAKERS, type HttpFunctionProps } from './http-functions.ts';
import { NodeFunction } from './node-function.ts';
import { answerOtherMethods } from './other-methods.ts';
import type { Stage } from './stages.ts';

/**
 * The HTTP API. Every route requires an API key, except links in messages, the redemption of
 * one-time codes, the health check, the OpenAPI document and the console. Every error is a problem
 * document.
 */
export class HttpApi extends Construct {
  readonly api: RestApi;
  /** Base URL of the API; routes are appended to it. */
  readonly url: string;
  /** The target of the DNS record (alias or CNAME) of the stage's own domain. */
  readonly domainTarget: string | undefined;

  constructor(scope: Construct, id: string, props: HttpFunctionProps) {
    super(scope, id);
    const api = this.restApi(props);
    answerWithProblems(api, props.stage.corsOrigins.length > 0);
    for (const name of HTTP_FUNCTIONS) {
      const { lambda } = HTTP_FUNCTION_MAKERS[name](this, name, props);
      addRoutes(api, ROUTE_TABLES[name], lambda);
    }
    answerOtherMethods(api, props.stage.corsOrigins.length > 0);
    if (props.stage.firewallRequestsPerAddress !== undefined) {
      turnAway(api, props.stage.firewallRequestsPerAddress);
    }
    this.api = api;
    const { domain } = props.stage;
    this.domainTarget = domain && this.named(api, domain);
    this.url = domain === undefined ? api.url : `https://${domain.name}/`;
  }

  /** Gives the API its own domain name; returns the target of the DNS record. */
  private named(api: RestApi, { name, certificate }: NonNullable<Stage['domain']>): string {
    return api.addDomainName('Domain', {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificate),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    }).domainNameAliasDomainName;
  }

  private restApi(props: HttpFunctionProps): RestApi {
    const { stage } = props;
    const accessLogs = new LogGroup(this, 'AccessLogs', {
      retention: stage.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const api = new RestApi(this, 'Api', {
      restApiName: `floorwatch-${stage.name}`,
      endpointTypes: [EndpointType.REGIONAL],
      // API Gateway needs this role to write access logs, in all APIs of the account. The account
      // keeps a reference to the role, so the role stays when the stack is deleted or its creation
      // is rolled back.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      defaultMethodOptions: {
        authorizer: new RequestAuthorizer(this, 'Authorizer', {
          handler: this.authorizeRequest(props).lambda,
          identitySources: [IdentitySource.header('X-API-Key')],
          resultsCacheTtl: Duration.seconds(30),
        }),
      },
      // Pictures are binary. With a list of media types the gateway would decide by the first type
      // in `Accept`, which differs between clients that show pictures.
      binaryMediaTypes: ['*/*'],
      // Compression is on because the OpenAPI document is large.
      minCompressionSize: Size.kibibytes(10),
      deployOptions: {
        stageName: stage.name,
        // These two limits apply to every method without its own entry in `methodThrottles`.
        throttlingRateLimit: 100,
        throttlingBurstLimit: 200,
        methodOptions: methodThrottles,
        tracingEnabled: stage.tracing,
        accessLogDestination: new LogGroupLogDestination(accessLogs),
        accessLogFormat: AccessLogFormat.custom(JSON.stringify(accessLogFields)),
      },
    });
    refuseOldTls(api);
    // Removes CDK's output for the URL, because the stack has its own.
    api.node.tryRemoveChild('Endpoint');
    acknowledgeFindings(api, stage);
    return api;
  }

  private authorizeRequest({ stage, table }: HttpFunctionProps) {
    const authorizeRequest = new NodeFunction(this, 'AuthorizeRequest', {
      folder: 'authorize-request',
      environmentSchema: AuthorizeRequestEnvironment,
      environment: { WATCH_TABLE: table.tableName },
      // The function reads one item. Ten seconds are enough for that read and its retries.
      timeout: Duration.seconds(10),
      // The request waits for the authorizer, and its cold start needs the processor: half the
      // memory would double the wait.
      memorySize: 512,
      stage,
    });
    table.grantItems(authorizeRequest, { KEYS: ['GetItem'] });
    return authorizeRequest;
  }
}

const accessLogFields = {
  time: '$context.requestTimeEpoch',
  requestId: '$context.requestId',
  method: '$context.httpMethod',
  route: '$context.resourcePath',
  status: '$context.status',
  tenant: '$context.authorizer.principalId',
  milliseconds: '$context.responseLatency',
  gatewayError: '$context.error.responseType',
  sourceIp: '$context.identity.sourceIp',
};

const withoutKey: MethodOptions = { authorizationType: AuthorizationType.NONE };

/**
 * API Gateway throttles each method separately, for all callers together. So a throttle limits the
 * cost of a flood, but does not share the rate fairly. The rate is several times the limit of one
 * tenant (`apiUnitsPerMinute`) and of one IP address (the firewall).
 */
const methodThrottles = Object.fromEntries([
  // Monitors need a response during a flood, too. Functions cache the response, so it costs little.
  ...throttle(reading('/v1/health'), 200, 400),
  // A chart takes a tenth of a second of processor time. After a market crash, chat services
  // request many charts at the same time.
  ...throttle(reading('/v1/charts/{chart}'), 50, 200),
  // A wall display requests all its pictures when it starts; browsers then cache them for a day.
  ...throttle(reading('/v1/contracts/{contract}/picture'), 50, 200),
  // A preview evaluates up to a year of prices. The units of a tenant allow 24 previews in
  // parallel.
  ...throttle(['/v1/rules/preview/POST', '/v1/rules/suggestions/POST'], 20, 50),
]);

function throttle(
  routes: readonly string[],
  throttlingRateLimit: number,
  throttlingBurstLimit: number,
): readonly (readonly [string, MethodDeploymentOptions])[] {
  return routes.map((route) => [route, { throttlingRateLimit, throttlingBurstLimit }]);
}

function reading(path: string): readonly string[] {
  return withHead('GET').map((method) => `${path}/${method}`);
}

/** By default API Gateway accepts TLS 1.0, even if a domain name has a stricter policy. */
function refuseOldTls({ node }: RestApi): void {
  // CDK's construct has no property for this setting.
  if (node.defaultChild instanceof CfnRestApi) {
    node.defaultChild.securityPolicy = SecurityPolicy.TLS_1_2;
  }
}

function addRoutes(api: RestApi, routes: Routes, handler: IFunction): void {
  // One permission for all methods: one per method would exceed the size limit of the function's
  // policy.
  const integration = new LambdaIntegration(handler, { scopePermissionToMethod: false });
  for (const { path, method: name, access } of methodsOf(routes)) {
    const isPublic = access === 'public';
    const options = isPublic ? withoutKey : {};
    const method = api.root.resourceForPath(path).addMethod(name, integration, options);
    if (!isPublic) continue;
    Validations.of(method).acknowledge({
      id: 'AwsSolutions::AwsSolutions-APIG4',
      reason: 'Everybody may use this route without a key.',
    });
  }
}

/** Adds a firewall that blocks IP addresses with more requests than this in five minutes. */
function turnAway(api: RestApi, requestsPerAddress: number): void {
  const metricsOf = (metricName: string) => ({
    ...{ metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false },
  });
  const firewall = new CfnWebACL(api, 'Firewall', {
    scope: 'REGIONAL',
    defaultAction: { allow: {} },
    visibilityConfig: metricsOf('Firewall'),
    rules: [
      {
        name: 'TooManyOfOneAddress',
        priority: 0,
        action: { block: {} },
        statement: { rateBasedStatement: { aggregateKeyType: 'IP', limit: requestsPerAddress } },
        visibilityConfig: metricsOf('TooManyOfOneAddress'),
      },
    ],
  });
  new CfnWebACLAssociation(api, 'FirewallOfApi', {
    webAclArn: firewall.attrArn,
    resourceArn: api.deploymentStage.stageArn,
  });
}

function acknowledgeFindings(api: RestApi, { tracing, firewallRequestsPerAddress }: Stage): void {
  const acknowledge = (construct: IConstruct, id: string, reason: string) =>
    Validations.of(construct).acknowledge({ id, reason });
  acknowledge(
    api,
    'AwsSolutions::AwsSolutions-COG4',
    'Programs authenticate with an API key. Our own authorizer derives tenant and scopes from it.',
  );
  acknowledge(
    api,
    'AwsSolutions::AwsSolutions-APIG2',
    'The functions validate each request against the schemas of the OpenAPI document, and report every invalid member.',
  );
  acknowledge(
    api,
    'AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
    'An account has one role for API Gateway, which accepts only a role with exactly these rights.',
  );
  if (firewallRequestsPerAddress === undefined) {
    acknowledge(
      api.deploymentStage,
      'AwsSolutions::AwsSolutions-APIG3',
      'A firewall costs more a month than a small stack. A stage can turn it on.',
    );
  }
  acknowledge(
    api.deploymentStage,
    'AwsSolutions::AwsSolutions-APIG6',
    'Execution logs would repeat the access logs and the logs of the functions, in a group that never expires.',
  );
  if (!tracing) {
    acknowledge(
      api.deploymentStage,
      'Serverless::Serverless-APIGWXrayEnabled',
      'Tracing is billed, so this stage does not enable it.',
    );
  }
}
