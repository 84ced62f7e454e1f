import { join } from 'node:path';
import { Duration, RemovalPolicy, Size, Stage as Synthesis, Validations } from 'aws-cdk-lib';
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
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct, type IConstruct } from 'constructs';
import { ActOnAlertEnvironment } from '#functions/act-on-alert/environment.ts';
import { AuthorizeRequestEnvironment } from '#functions/authorize-request/environment.ts';
import { DrawChartEnvironment } from '#functions/draw-chart/environment.ts';
import { ManageChannelsEnvironment } from '#functions/manage-channels/environment.ts';
import { ManageKeysEnvironment } from '#functions/manage-keys/environment.ts';
import { ServeApiEnvironment } from '#functions/serve-api/environment.ts';
import { ServeNftDataEnvironment } from '#functions/serve-nft-data/environment.ts';
import { ServePagesEnvironment } from '#functions/serve-pages/environment.ts';
import {
  HTTP_FUNCTIONS,
  type HttpFunction,
  methodsOf,
  ROUTE_TABLES,
  withHead,
} from '#infra/http/route-tables.ts';
import { documentPages } from '#infra/openapi/site.ts';
import { consolePages } from '#infra/pages/console.ts';
import { type Page, writeSite } from '#infra/pages/write-site.ts';
import type { Routes } from '#shared/http/route.ts';
import type { ActorQueue } from './actor-queue.ts';
import type { Alerting } from './alerting.ts';
import { CONCURRENCY } from './concurrency.ts';
import { answerWithProblems } from './gateway-responses.ts';
import { filesFolder, NodeFunction } from './node-function.ts';
import { answerOtherMethods } from './other-methods.ts';
import { writeRenderer } from './renderer-files.ts';
import type { Stage } from './stages.ts';
import {
  allProvidersVariables,
  cadenceVariables,
  keyEndVariables,
  keyParametersOf,
} from './upstream-variables.ts';
import type { WatchTable } from './watch-table.ts';

export type HttpApiProps = {
  readonly stage: Stage;
  readonly table: WatchTable;
  readonly contracts: ActorQueue;
  readonly lists: ActorQueue;
  readonly alerting: Alerting;
  readonly missedTicks: IQueue;
};

/**
 * The HTTP interface. Every route asks for an API key, but links of messages, and those that describe it
 * and its health; every error is a problem document.
 */
export class HttpApi extends Construct {
  readonly api: RestApi;
  /** Address of the interface, to which the routes are appended. */
  readonly url: string;
  /** Where the stage's own name has to lead, as an alias or a CNAME. */
  readonly domainTarget: string | undefined;

  constructor(scope: Construct, id: string, props: HttpApiProps) {
    super(scope, id);
    const api = this.restApi(props);
    answerWithProblems(api, props.stage.corsOrigins.length > 0);
    const functions: Readonly<
      Record<HttpFunction, (props: HttpApiProps) => { readonly lambda: IFunction }>
    > = {
      'serve-api': this.serveApi,
      'manage-channels': this.manageChannels,
      'manage-keys': this.manageKeys,
      'serve-nft-data': this.serveNftData,
      'act-on-alert': this.actOnAlert,
      'draw-chart': this.drawChart,
      'serve-pages': this.servePages,
    };
    for (const name of HTTP_FUNCTIONS) {
      addRoutes(api, ROUTE_TABLES[name], functions[name].call(this, props).lambda);
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

  private restApi(props: HttpApiProps): RestApi {
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

  private authorizeRequest({ stage, table }: HttpApiProps) {
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

  /** Lists, watches, alerts, contracts and operations. It opens no secret and writes no key. */
  private serveApi({ stage, table, contracts, lists, alerting, missedTicks }: HttpApiProps) {
    const { channels } = alerting;
    const serveApi = new NodeFunction(this, 'ServeApi', {
      folder: 'serve-api',
      environmentSchema: ServeApiEnvironment,
      environment: {
        CORS_ORIGINS: JSON.stringify(stage.corsOrigins),
        WATCH_TABLE: table.tableName,
        CONTRACTS_QUEUE_URL: contracts.queue.queueUrl,
        LISTS_QUEUE_URL: lists.queue.queueUrl,
        CHANNELS_QUEUE_URL: channels.queue.queueUrl,
        CONTRACTS_DEAD_LETTERS_URL: contracts.deadLetters.queueUrl,
        LISTS_DEAD_LETTERS_URL: lists.deadLetters.queueUrl,
        CHANNELS_DEAD_LETTERS_URL: channels.deadLetters.queueUrl,
        MISSED_TICKS_URL: missedTicks.queueUrl,
        API_UNITS_PER_MINUTE: String(stage.apiUnitsPerMinute),
        NFT_DATA_UNITS_PER_MINUTE: String(stage.nftDataUnitsPerMinute),
        CHANNEL_PUBLIC_KEY_PARAMETER: stage.channelPublicKeyParameter,
        WEBHOOK_DESTINATIONS: stage.webhookDestinations,
        WEBHOOK_PORTS: JSON.stringify(stage.webhookPorts),
        ...cadenceVariables(stage),
        ...allProvidersVariables(stage),
        ...keyEndVariables(stage),
      },
      timeout: belowGatewayTimeout,
      // The largest list, of ten thousand watches, and a preview need the processor, and a person waits.
      memorySize: 1024,
      stage,
    });
    table.grantItems(serveApi, {
      'USAGE#*': ['GetItem', 'PutItem'],
      'IDEMPOTENCY#*': ['GetItem', 'PutItem'],
      'TENANT#*': ['GetItem', 'PutItem', 'Query'],
      'JOBS#*': ['GetItem', 'PutItem', 'Query'],
      'CHANGES#*': ['GetItem', 'PutItem', 'Query'],
      'WATCHES#*': ['GetItem', 'Query'],
      'CONTRACTS#*': ['GetItem', 'Query'],
      'HISTORY#*': ['Query'],
      'LIST#*': ['GetItem', 'Query'],
      'COLLECTION#*': ['GetItem', 'PutItem'],
      'DISPATCH#*': ['GetItem'],
      // The calls of the provider that look up collections are leased.
      UPSTREAM: ['GetItem', 'PutItem'],
    });
    table.grantDueIndex(serveApi);
    serveApi.allowParameter(stage.channelPublicKeyParameter);
    for (const key of keyParametersOf(stage)) serveApi.allowParameter(key);
    contracts.grantSend(serveApi);
    lists.grantSend(serveApi);
    for (const { queue, deadLetters } of [contracts, lists, channels]) {
      queue.grant(serveApi, 'sqs:GetQueueAttributes');
      deadLetters.grant(serveApi, 'sqs:GetQueueAttributes');
    }
    missedTicks.grant(serveApi, 'sqs:GetQueueAttributes');
    return serveApi;
  }

  private manageChannels({ stage, table, alerting }: HttpApiProps) {
    const manageChannels = new NodeFunction(this, 'ManageChannels', {
      folder: 'manage-channels',
      environmentSchema: ManageChannelsEnvironment,
      environment: {
        CORS_ORIGINS: JSON.stringify(stage.corsOrigins),
        WATCH_TABLE: table.tableName,
        CHANNELS_QUEUE_URL: alerting.channels.queue.queueUrl,
        STACK_TOPIC_ARN: alerting.stackTopic.topicArn,
        TOPIC_PREFIX: alerting.listTopics,
        API_UNITS_PER_MINUTE: String(stage.apiUnitsPerMinute),
      },
      timeout: belowGatewayTimeout,
      // A few reads and one call of SNS: a start takes the most of it.
      memorySize: 512,
      stage,
    });
    table.grantItems(manageChannels, {
      'USAGE#*': ['GetItem', 'PutItem'],
      'IDEMPOTENCY#*': ['GetItem', 'PutItem'],
      'TENANT#*': ['GetItem', 'PutItem', 'Query'],
      'JOBS#*': ['Query'],
      'CHANGES#*': ['PutItem'],
      'LIST#*': ['PutItem'],
      'INBOX#*': ['PutItem', 'Query'],
      'HINTS#*': ['PutItem'],
    });
    alerting.channels.grantSend(manageChannels);
    alerting.allowOnListTopics(manageChannels, [
      'sns:ConfirmSubscription',
      'sns:GetSubscriptionAttributes',
    ]);
    return manageChannels;
  }

  /** The one function that writes keys. */
  private manageKeys({ stage, table }: HttpApiProps) {
    const manageKeys = new NodeFunction(this, 'ManageKeys', {
      folder: 'manage-keys',
      environmentSchema: ManageKeysEnvironment,
      environment: {
        CORS_ORIGINS: JSON.stringify(stage.corsOrigins),
        WATCH_TABLE: table.tableName,
        API_UNITS_PER_MINUTE: String(stage.apiUnitsPerMinute),
      },
      timeout: belowGatewayTimeout,
      // A few reads and writes, for which somebody waits: a start takes the most of it.
      memorySize: 512,
      stage,
    });
    table.grantItems(manageKeys, {
      'USAGE#*': ['GetItem', 'PutItem'],
      'CHANGES#*': ['PutItem'],
      KEYS: ['GetItem', 'PutItem', 'Query'],
    });
    return manageKeys;
  }

  private serveNftData({ stage, table }: HttpApiProps) {
    const serveNftData = new NodeFunction(this, 'ServeNftData', {
      folder: 'serve-nft-data',
      environmentSchema: ServeNftDataEnvironment,
      environment: {
        CORS_ORIGINS: JSON.stringify(stage.corsOrigins),
        WATCH_TABLE: table.tableName,
        NFT_DATA_SOURCES: JSON.stringify(stage.nftDataSources),
        NFT_DATA_UNITS_PER_MINUTE: String(stage.nftDataUnitsPerMinute),
        ...allProvidersVariables(stage),
      },
      timeout: belowGatewayTimeout,
      // Answers that it remembers take up to 64 of them, one that is on its way a few times 5.
      memorySize: 512,
      stage,
    });
    table.grantItems(serveNftData, {
      UPSTREAM: ['GetItem', 'PutItem'],
      'ANSWER#*': ['GetItem', 'PutItem'],
      'USAGE#*': ['GetItem', 'PutItem'],
      'TOKENS#*': ['BatchGetItem'],
      'TRAIT#*': ['Query'],
      'TRADES#*': ['GetItem', 'Query'],
      'HISTORY#*': ['Query'],
    });
    for (const key of keyParametersOf(stage)) serveNftData.allowParameter(key);
    return serveNftData;
  }

  private actOnAlert({ stage, table, lists }: HttpApiProps) {
    const actOnAlert = new NodeFunction(this, 'ActOnAlert', {
      folder: 'act-on-alert',
      environmentSchema: ActOnAlertEnvironment,
      environment: {
        WATCH_TABLE: table.tableName,
        LISTS_QUEUE_URL: lists.queue.queueUrl,
        LINK_KEY_PARAMETER: stage.linkKeyParameter,
      },
      timeout: Duration.seconds(10),
      // A few reads and writes, for which somebody waits: a start takes the most of it.
      memorySize: 512,
      stage,
    });
    table.grantItems(actOnAlert, {
      'TENANT#*': ['GetItem', 'PutItem'],
      'JOBS#*': ['GetItem', 'PutItem'],
      'CHANGES#*': ['PutItem'],
      'WATCHES#*': ['GetItem'],
      'LIST#*': ['GetItem'],
    });
    actOnAlert.allowParameter(stage.linkKeyParameter);
    lists.grantSend(actOnAlert);
    return actOnAlert;
  }

  private drawChart({ stage, table }: HttpApiProps) {
    const folder = join(Synthesis.of(this)?.outdir ?? '', 'renderer');
    writeRenderer(folder);
    const drawChart = new NodeFunction(this, 'DrawChart', {
      folder: 'draw-chart',
      reserved: CONCURRENCY.drawChart,
      environmentSchema: DrawChartEnvironment,
      environment: {
        CORS_ORIGINS: JSON.stringify(stage.corsOrigins),
        WATCH_TABLE: table.tableName,
        LINK_KEY_PARAMETER: stage.linkKeyParameter,
        RENDERER_FOLDER: filesFolder(this, folder),
      },
      files: folder,
      // A chat that has waited longer shows no picture.
      timeout: Duration.seconds(10),
      // To draw is work for one processor, of which this is the most; less would take longer, for as much.
      memorySize: 1769,
      stage,
    });
    table.grantItems(drawChart, { 'HISTORY#*': ['Query'] });
    drawChart.allowParameter(stage.linkKeyParameter);
    return drawChart;
  }

  private servePages({ stage }: HttpApiProps) {
    const files = this.site('pages', [...documentPages(), ...consolePages()]);
    return new NodeFunction(this, 'ServePages', {
      folder: 'serve-pages',
      environmentSchema: ServePagesEnvironment,
      environment: {
        CORS_ORIGINS: JSON.stringify(stage.corsOrigins),
        SITE_FOLDER: filesFolder(this, files),
      },
      files,
      ...servesFiles,
      stage,
    });
  }

  /** The folder where pages are written at this synthesis. */
  private site(name: string, pages: readonly Page[]): string {
    const made = join(Synthesis.of(this)?.outdir ?? '', name);
    writeSite(made, pages);
    return made;
  }
}

/** All that they report is in files beside them. */
const servesFiles = { timeout: Duration.seconds(5), memorySize: 512 };

/** The gateway gives up after 29 seconds; a function that outlives it answers no one. */
const belowGatewayTimeout = Duration.seconds(25);

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
  ...throttle(['/v1/rules/preview/POST'], 20, 50),
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
