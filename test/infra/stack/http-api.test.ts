import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { actionRoutes } from '#functions/act-on-alert/routes.ts';
import { chartRoutes } from '#functions/draw-chart/routes.ts';
import { channelRoutes } from '#functions/manage-channels/routes.ts';
import { keyRoutes } from '#functions/manage-keys/routes.ts';
import { apiRoutes } from '#functions/serve-api/routes.ts';
import { nftDataRoutes } from '#functions/serve-nft-data/routes.ts';
import { pageRoutes } from '#functions/serve-pages/routes.ts';
import { PROBLEM_EXAMPLES } from '#infra/openapi/problems.ts';
import { USUAL_FIREWALL_REQUESTS } from '#infra/operate/setup/setup-answers.ts';
import { REQUEST_UNITS } from '#shared/domain/access/request-units.ts';
import type { Routes } from '#shared/http/route.ts';
import { aStage, FULL_STAGE, resourcesOf, synthesize, textOf } from '#test/infra/synthesized.ts';

const template = synthesize();
const resources = resourcesOf(template, 'AWS::ApiGateway::Resource');
const allMethods = Object.values(resourcesOf(template, 'AWS::ApiGateway::Method')).map(
  ({ Properties }) => Properties,
);
const OWN = 'ANY';
const methods = allMethods.filter(({ HttpMethod }) => ![OWN, 'HEAD'].includes(HttpMethod));

/** The window, in seconds, in which AWS WAF counts the requests of an address. */
const FIREWALL_SECONDS = 300;

const MethodSettings = z.array(
  z.object({
    HttpMethod: z.string(),
    ResourcePath: z.string(),
    ThrottlingRateLimit: z.number(),
    ThrottlingBurstLimit: z.number(),
  }),
);

const OwnAnswers = z.array(
  z.looseObject({
    StatusCode: z.string(),
    SelectionPattern: z.string().optional(),
    ResponseParameters: z.record(z.string(), z.unknown()).default({}),
    ResponseTemplates: z.record(z.string(), z.string()).default({}),
  }),
);

/** The route table of each function. */
const TABLES: Readonly<Record<string, Routes>> = {
  ServeApi: apiRoutes,
  ManageChannels: channelRoutes,
  ManageKeys: keyRoutes,
  ServeNftData: nftDataRoutes,
  ActOnAlert: actionRoutes,
  DrawChart: chartRoutes,
  ServePages: pageRoutes,
};

it("the API uses the stage's domain name, also for links in messages", () => {
  const named = synthesize(FULL_STAGE);
  const [domain] = Object.values(resourcesOf(named, 'AWS::ApiGateway::DomainName'));
  const [mapping] = Object.values(resourcesOf(named, 'AWS::ApiGateway::BasePathMapping'));
  const { 'Alerting/DeliverMessages/Lambda': sender } = resourcesOf(named, 'AWS::Lambda::Function');

  expect(domain?.Properties).toMatchObject({
    ...{ DomainName: 'floors.example.com', RegionalCertificateArn: FULL_STAGE.domain?.certificate },
    ...{ SecurityPolicy: 'TLS_1_2', EndpointConfiguration: { Types: ['REGIONAL'] } },
  });
  // The API is at the root of the domain, so no path changes.
  expect(mapping?.Properties.BasePath).toBeUndefined();
  expect(named.Outputs.ApiUrl.Value).toBe('https://floors.example.com/');
  expect(named.Outputs.DomainTarget).toBeDefined();
  expect(sender?.Properties.Environment.Variables.PUBLIC_URL).toBe(
    'https://floors.example.com/v1/',
  );
});

it('the API routes each operation to its function, and has no other routes', () => {
  const routes = methods.map(({ HttpMethod, ResourceId, Integration }) => {
    const [, handler] =
      /functions\/(.+)\/invocations/.exec(textOf(template, Integration.Uri)) ?? [];
    return `${HttpMethod} ${routeOf(textOf(template, ResourceId))} → ${handler}`;
  });

  const expected = Object.entries(TABLES).flatMap(([name, table]) =>
    Object.keys(table).map((route) => `${route} → Http/${name}/Lambda`),
  );
  expect(routes.toSorted()).toEqual(expected.toSorted());
});

it("the API serves pictures as binary data to any client, and the gateway's own responses as text", () => {
  const { 'Http/Api': api } = resourcesOf(template, 'AWS::ApiGateway::RestApi');
  const own = allMethods.filter(({ Integration }) => Integration.Type === 'MOCK');

  expect(api?.Properties.BinaryMediaTypes).toEqual(['*/*']);
  expect(new Set(own.map(({ Integration }) => Integration.ContentHandling))).toEqual(
    new Set(['CONVERT_TO_TEXT']),
  );
});

it('the API accepts HEAD for every GET route, with the same settings', () => {
  const waysOf = (name: string) =>
    allMethods
      .filter(({ HttpMethod }) => HttpMethod === name)
      .map(({ HttpMethod: _method, ...way }) => JSON.stringify(way))
      .toSorted();

  expect(waysOf('HEAD')).toEqual(waysOf('GET'));
});

describe('requests that the gateway handles without a function or a key', () => {
  const pathOf = ({ ResourceId }: (typeof methods)[number]) =>
    routeOf(textOf(template, ResourceId));
  const own = allMethods.filter(({ HttpMethod }) => HttpMethod === OWN);

  it('the gateway itself responds to OPTIONS, and to every method that a path does not support', () => {
    const paths = new Set(methods.map(pathOf));

    expect(own.map(pathOf).toSorted()).toEqual([...paths].toSorted());
    for (const { AuthorizationType, Integration } of own) {
      expect([AuthorizationType, Integration.Type]).toEqual(['NONE', 'MOCK']);
      expect(new Set(Object.values(Integration.RequestTemplates ?? {}))).toEqual(
        new Set([
          '#if($context.httpMethod == "OPTIONS"){"statusCode":204}#else{"statusCode":405}#end',
        ]),
      );
    }
  });

  it('the gateway lists the methods of a path in `Allow`', () => {
    const path = '/v1/watchlists';
    const of = (status: string) => {
      const method = own.find((one) => pathOf(one) === path);
      const answer = OwnAnswers.parse(method?.Integration.IntegrationResponses).find(
        ({ SelectionPattern }) => SelectionPattern === status,
      );
      const { 'application/json': body = '' } = answer?.ResponseTemplates ?? {};
      return { ...answer, body: body === '' ? undefined : JSON.parse(body) };
    };
    const allow = "'GET, HEAD, POST, OPTIONS'";

    expect(of('204')).toMatchObject({
      StatusCode: '204',
      ResponseParameters: { 'method.response.header.Allow': allow },
    });
    expect(of('405')).toMatchObject({
      StatusCode: '405',
      ResponseParameters: {
        'method.response.header.Allow': allow,
        'method.response.header.Content-Type': "'application/problem+json'",
      },
      body: {
        type: 'urn:floorwatch:problem:method_not_allowed',
        detail: 'this path accepts GET, HEAD, POST',
        status: 405,
      },
    });
  });

  it.each([
    { stage: undefined, said: undefined },
    { stage: FULL_STAGE, said: "'*'" },
  ])(
    'the gateway allows preflight requests only if the stage has CORS origins: $stage.corsOrigins',
    ({ stage, said }) => {
      const all = resourcesOf(synthesize(stage), 'AWS::ApiGateway::Method');
      const preflights = Object.values(all).flatMap(({ Properties }) =>
        OwnAnswers.parse(Properties.Integration.IntegrationResponses ?? []).filter(
          ({ StatusCode }) => StatusCode === '204',
        ),
      );

      expect(preflights.length).toBeGreaterThan(30);
      for (const { ResponseParameters: reported } of preflights) {
        expect(reported['method.response.header.Access-Control-Allow-Origin']).toBe(said);
        expect(String(reported['method.response.header.Access-Control-Allow-Headers'])).toContain(
          said === undefined ? 'undefined' : 'X-API-Key',
        );
      }
    },
  );
});

it('the gateway requires an API key on every route except links in messages, one-time codes, the console, the documentation and the health check', () => {
  const authorizer = resourcesOf(template, 'AWS::ApiGateway::Authorizer')['Http/Authorizer'];

  expect(authorizer?.Properties).toMatchObject({
    Type: 'REQUEST',
    IdentitySource: 'method.request.header.X-API-Key',
    AuthorizerResultTtlInSeconds: 30,
  });
  const [open, guarded] = [
    methods.filter(({ AuthorizationType }) => AuthorizationType === 'NONE'),
    methods.filter(({ AuthorizationType }) => AuthorizationType === 'CUSTOM'),
  ];
  expect(open.map(({ ResourceId }) => routeOf(textOf(template, ResourceId)))).toEqual([
    '/v1/health',
    '/v1/sign-ins/redeem',
    '/v1/actions/{action}',
    '/v1/actions/{action}',
    '/v1/subscriptions/{subscription}',
    '/v1/subscriptions/{subscription}',
    '/v1/charts/{chart}',
    '/v1/openapi.json',
    '/v1/docs',
    '/v1/docs/{file}',
    '/',
    '/app',
    '/app/{file}',
  ]);
  expect(open.length + guarded.length).toBe(methods.length);
  for (const { AuthorizerId } of guarded) {
    expect(textOf(template, AuthorizerId)).toBe('Http/Authorizer');
  }
});

it('each function has a single permission for all its routes', () => {
  const callers = Object.values(resourcesOf(template, 'AWS::Lambda::Permission')).map(
    ({ Properties }) => textOf(template, Properties.FunctionName),
  );

  expect(callers.toSorted()).toEqual([
    'Http/ActOnAlert/Lambda',
    'Http/AuthorizeRequest/Lambda',
    'Http/DrawChart/Lambda',
    'Http/ManageChannels/Lambda',
    'Http/ManageKeys/Lambda',
    'Http/ServeApi/Lambda',
    'Http/ServeNftData/Lambda',
    'Http/ServePages/Lambda',
  ]);
});

it('the timeout of a function is shorter than the timeout of the gateway', () => {
  const functions = resourcesOf(template, 'AWS::Lambda::Function');

  for (const name of ['ServeApi', 'ServeNftData']) {
    expect(functions[`Http/${name}/Lambda`]?.Properties.Timeout).toBeLessThan(29);
  }
});

it('the access log has each request, without secrets', () => {
  const [stage] = Object.values(resourcesOf(template, 'AWS::ApiGateway::Stage'));
  const { Format, DestinationArn } = stage?.Properties.AccessLogSetting ?? {};

  expect(textOf(template, DestinationArn)).toMatch(/:log-group:Http\/AccessLogs$/);
  expect(JSON.parse(Format)).toMatchObject({ route: '$context.resourcePath' });
  // The log has no key, no header, and no part of a path or query that a client chose.
  expect(Format.match(/\$[\w.]+/g)).toEqual([
    '$context.requestTimeEpoch',
    '$context.requestId',
    '$context.httpMethod',
    '$context.resourcePath',
    '$context.status',
    '$context.authorizer.principalId',
    '$context.responseLatency',
    '$context.error.responseType',
    '$context.identity.sourceIp',
  ]);
});

describe('the throttles of the gateway', () => {
  const [stage] = Object.values(resourcesOf(template, 'AWS::ApiGateway::Stage'));
  const limits = MethodSettings.parse(stage?.Properties.MethodSettings);
  const [usual] = limits;
  /** Requests per second of a method, for all callers together. */
  const rateOf = (method: string, path: string) => {
    const ResourcePath = `/${path.replaceAll('/', '~1').replace(/^~1$/, '')}`;
    const own = limits.find(
      (limit) => limit.HttpMethod === method && limit.ResourcePath === ResourcePath,
    );
    return (own ?? usual)?.ThrottlingRateLimit ?? 0;
  };
  const routes = Object.values(TABLES).flatMap((table) =>
    Object.entries(table).map(([name, route]) => {
      const [method = '', path = ''] = name.split(' ');
      return { name, route, rate: rateOf(method, path) };
    }),
  );

  it('throttles are 100 requests a second, except for health, charts, pictures and previews', () => {
    const listed = limits.map(
      ({ HttpMethod, ResourcePath, ThrottlingRateLimit, ThrottlingBurstLimit }) =>
        `${HttpMethod} ${ResourcePath}: ${ThrottlingRateLimit}, ${ThrottlingBurstLimit}`,
    );

    expect(listed).toEqual([
      '* /*: 100, 200',
      'GET /~1v1~1health: 200, 400',
      'HEAD /~1v1~1health: 200, 400',
      'GET /~1v1~1charts~1{chart}: 50, 200',
      'HEAD /~1v1~1charts~1{chart}: 50, 200',
      'GET /~1v1~1contracts~1{contract}~1picture: 50, 200',
      'HEAD /~1v1~1contracts~1{contract}~1picture: 50, 200',
      'POST /~1v1~1rules~1preview: 20, 50',
      'POST /~1v1~1rules~1suggestions: 20, 50',
    ]);
  });

  it('throttles exceed the rate that the default firewall allows for one address', () => {
    const ofOneAddress = USUAL_FIREWALL_REQUESTS / FIREWALL_SECONDS;
    const open = routes.filter(({ route: { access } }) => access === 'public');

    expect(open.length).toBeGreaterThan(10);
    expect(open.filter(({ rate }) => rate < 1.5 * ofOneAddress)).toEqual([]);
  });

  it('throttles are at least five times the rate of a tenant that spends all its units on one method', () => {
    const { apiUnitsPerMinute, nftDataUnitsPerMinute } = aStage();
    const ofOneTenant = ({ units }: (typeof routes)[number]['route']) =>
      units === undefined
        ? nftDataUnitsPerMinute / REQUEST_UNITS['nft-data'].atHand / 60
        : apiUnitsPerMinute / REQUEST_UNITS.api[units] / 60;
    const guarded = routes.filter(({ route: { access } }) => access !== 'public');

    expect(guarded.filter(({ route, rate }) => rate < 5 * ofOneTenant(route))).toEqual([]);
  });

  it('the default firewall lets a tenant spend all its units from one address', () => {
    const { apiUnitsPerMinute, nftDataUnitsPerMinute } = aStage();
    const minutes = FIREWALL_SECONDS / 60;

    expect(USUAL_FIREWALL_REQUESTS).toBeGreaterThan(
      minutes * (apiUnitsPerMinute + nftDataUnitsPerMinute),
    );
  });
});

it('the API rejects TLS below 1.2, also at its default address', () => {
  const { 'Http/Api': api } = resourcesOf(template, 'AWS::ApiGateway::RestApi');

  expect(api?.Properties.SecurityPolicy).toBe('TLS_1_2');
});

it('the stack has far fewer resources than CloudFormation allows', () => {
  expect(Object.keys(template.Resources).length).toBeLessThan(450);
});

describe("the gateway's own responses", () => {
  const answers = Object.values(resourcesOf(template, 'AWS::ApiGateway::GatewayResponse')).map(
    ({ Properties }) => GatewayResponse.parse(Properties),
  );

  it.each(answers)('the gateway returns a problem document for $ResponseType', (answer) => {
    const problem = Problem.parse(JSON.parse(answer.ResponseTemplates['application/json']));

    expect(String(problem.status)).toBe(answer.StatusCode);
    expect(problem.message).toBe(problem.detail);
    expect(answer.ResponseParameters['gatewayresponse.header.Content-Type']).toBe(
      "'application/problem+json'",
    );
  });

  it.each(answers)(
    'the gateway and the functions use the same title for the problem $ResponseType',
    (answer) => {
      const { type, title } = Problem.parse(
        JSON.parse(answer.ResponseTemplates['application/json']),
      );
      const ours = Object.values(PROBLEM_EXAMPLES).map((example) => example.toJSON());

      expect(ours.find((problem) => problem.type === type)?.title ?? title).toBe(title);
    },
  );

  it.each([
    { type: 'UNAUTHORIZED', status: '401' },
    { type: 'ACCESS_DENIED', status: '401' },
    { type: 'MISSING_AUTHENTICATION_TOKEN', status: '404' },
    { type: 'REQUEST_TOO_LARGE', status: '413' },
    { type: 'THROTTLED', status: '429' },
    { type: 'AUTHORIZER_FAILURE', status: '500' },
    { type: 'INTEGRATION_TIMEOUT', status: '504' },
    { type: 'DEFAULT_4XX', status: '400' },
    { type: 'DEFAULT_5XX', status: '500' },
  ])('the gateway returns the status $status for $type', ({ type, status }) => {
    expect(answers.find(({ ResponseType }) => ResponseType === type)?.StatusCode).toBe(status);
  });

  it.each([
    { type: 'ACCESS_DENIED', header: 'WWW-Authenticate', value: "'ApiKey'" },
    { type: 'UNAUTHORIZED', header: 'WWW-Authenticate', value: "'ApiKey'" },
    { type: 'THROTTLED', header: 'Retry-After', value: "'1'" },
    { type: 'WAF_FILTERED', header: 'Retry-After', value: "'300'" },
  ])('the gateway returns the header $header for $type: $value', ({ type, header, value }) => {
    const answer = answers.find(({ ResponseType }) => ResponseType === type);

    expect(answer?.ResponseParameters[`gatewayresponse.header.${header}`]).toBe(value);
  });
});

function routeOf(path: string): string {
  return belowRoot(path) || '/';
}

function belowRoot(path: string): string {
  const properties = resources[path]?.Properties;
  return properties
    ? `${belowRoot(textOf(template, properties.ParentId))}/${properties.PathPart}`
    : '';
}

const GatewayResponse = z.object({
  ResponseType: z.string(),
  StatusCode: z.string(),
  ResponseParameters: z.record(z.string(), z.string()),
  ResponseTemplates: z.object({ 'application/json': z.string() }),
});

const Problem = z.strictObject({
  type: z.string().regex(/^urn:floorwatch:problem:[a-z_]+$/),
  title: z.string().min(1),
  status: z.int(),
  detail: z.string().min(1),
  message: z.string(),
});
