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
 * The HTTP interface. Every route asks for an API key, except links of messages, the redemption of
 * one-time codes, the health check, the document and the console; every error is a problem document.
 */
export class HttpApi extends Construct {
  readonly api: RestApi;
  /** Address of the interface, to which the routes are appended. */
  readonly url: string;
  /** Where the stage's own name has to lead, as an alias or a CNAME. */
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

  /** Gives the interface a name of its own; returns what that name has to lead to. */
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
      // Access logs of the account need this role. The account keeps naming it, so it stays when the
      // stack is deleted, and when its creation is rolled back.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      defaultMethodOptions: {
        authorizer: new RequestAuthorizer(this, 'Authorizer', {
          handler: this.authorizeRequest(props).lambda,
          identitySources: [IdentitySource.header('X-API-Key')],
          resultsCacheTtl: Duration.seconds(30),
        }),
      },
      // Pictures are no text. By a list of their types the gateway would go by what a client accepts
      // first, and no two that show pictures say the same.
      binaryMediaTypes: ['*/*'],
      // What describes the interface is large.
      minCompressionSize: Size.kibibytes(10),
      deployOptions: {
        stageName: stage.name,
        // For every method without an entry of its own.
        throttlingRateLimit: 100,
        throttlingBurstLimit: 200,
        methodOptions: methodThrottles,
        tracingEnabled: stage.tracing,
        accessLogDestination: new LogGroupLogDestination(accessLogs),
        accessLogFormat: AccessLogFormat.custom(JSON.stringify(accessLogFields)),
      },
    });
    refuseOldTls(api);
    // The stack has an output of its own for the address.
    api.node.tryRemoveChild('Endpoint');
    acknowledgeFindings(api, stage);
    return api;
  }

  private authorizeRequest({ stage, table }: HttpFunctionProps) {
    const authorizeRequest = new NodeFunction(this, 'AuthorizeRequest', {
      folder: 'authorize-request',
      environmentSchema: AuthorizeRequestEnvironment,
      environment: { WATCH_TABLE: table.tableName },
      // The function reads one item; this is time for every attempt at that read.
      timeout: Duration.seconds(10),
      // The rest of a request waits for it, and its start is work: half of it would be twice the wait.
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
 * API Gateway throttles each method by itself, and for all callers together. So a throttle limits the
 * cost of a flood, and it is no share of a caller. Its rate is several times that of one tenant, which
 * units limit (`apiUnitsPerMinute`), and above that of one address, which the firewall limits.
 */
const methodThrottles = Object.fromEntries([
  // Monitors need an answer during a flood, too, and it costs little: functions cache it.
  ...throttle(reading('/v1/health'), 200, 400),
  // A chart takes a processor for a tenth of a second. A crash makes chats request many together.
  ...throttle(reading('/v1/charts/{chart}'), 50, 200),
  // A wall of screens requests all of its pictures at first, and browsers keep them for a day.
  ...throttle(reading('/v1/contracts/{contract}/picture'), 50, 200),
  // A preview evaluates up to a year of prices. A tenant has the units for 24 previews together.
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

/** By default API Gateway accepts TLS 1.0, also under a domain name that has its own policy. */
function refuseOldTls({ node }: RestApi): void {
  // The construct of CDK has no property for it.
  if (node.defaultChild instanceof CfnRestApi) {
    node.defaultChild.securityPolicy = SecurityPolicy.TLS_1_2;
  }
}

function addRoutes(api: RestApi, routes: Routes, handler: IFunction): void {
  // One permission for all methods: one for each would overflow the function's policy.
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

/** Has a firewall turn away addresses that ask more often than so in five minutes. */
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
    'The functions validate each request with the schemas of the OpenAPI document, and name each wrong member.',
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
      'Tracing is billed, so the stage has it off.',
    );
  }
}
