import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import type { Clock } from './clock.ts';
import type { LocalFunction } from './functions.ts';
import { closeServer, createLoopbackServer, listen } from './loopback.ts';
import { account, type Found, region, type Stack, TemplateError } from './template.ts';

/** The template's REST API on loopback. */
export type Gateway = {
  readonly url: string;
  /** Requests that are not answered yet. */
  readonly open: () => number;
  readonly close: () => Promise<void>;
};

export type GatewayOptions = {
  readonly stack: Stack;
  readonly functionOf: (arn: string) => LocalFunction;
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
  /** Paths that the gateway serves beside the template's: what this machine knows of itself. */
  readonly pages: Readonly<Record<string, () => Promise<unknown>>>;
  readonly port?: number;
};

const bodyLimitBytes = 10_000_000;

/** Serves the routes, the authorizer and the gateway answers of the template, at the root. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { stack, clock, onFailure, pages } = options;
  const routes = readRoutes(stack, options.functionOf);
  const answers = readAnswers(stack);
  let open = 0;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const requestId = randomUUID();
    const url = new URL(request.url ?? '/', 'http://localhost');
    const page = request.method === 'GET' ? pages[url.pathname] : undefined;
    if (page) {
      response.setHeader('content-type', 'application/json');
      response.end(`${JSON.stringify(await page(), null, 2)}\n`);
      return;
    }
    response.setHeader('x-amzn-requestid', requestId);
    const body = await readBody(request);
    const route = matchRoute(routes, request.method ?? '', url.pathname);
    try {
      if (!route) throw new GatewayAnswer('MISSING_AUTHENTICATION_TOKEN');
      if (body === undefined) throw new GatewayAnswer('REQUEST_TOO_LARGE');
      const event = toEvent({ request, url, route, requestId, body, now: clock.now() });
      const authorizer = await route.authorize?.(event, clock.now());
      const requestContext = { ...event.requestContext, authorizer };
      const result = await within29Seconds(route.target.invoke({ ...event, requestContext }));
      sendResult(response, result);
    } catch (error) {
      const type = error instanceof GatewayAnswer ? error.type : 'DEFAULT_5XX';
      if (defaultOf(type).status >= 500) onFailure(error);
      sendAnswer(response, answers, type, { requestId, path: url.pathname });
    }
  };

  const server = createLoopbackServer(async (request, response) => {
    // The runtime's own pages are no work: looking at them must not hold the clock.
    const weight = request.url?.startsWith('/local/') ? 0 : 1;
    open += weight;
    try {
      await serve(request, response);
    } finally {
      open -= weight;
    }
  }, onFailure);
  const url = await listen(server, options.port);
  return { url, open: () => open, close: () => closeServer(server) };
}

/** An answer that the gateway gives itself, by the name that the template knows it by. */
class GatewayAnswer extends Error {
  readonly code = 'gateway_answer';
  readonly type: string;

  constructor(type: string, options?: ErrorOptions) {
    super(`the gateway answered ${type}`, options);
    this.type = type;
  }
}

type ProxyEvent = ReturnType<typeof toEvent>;
type Authorize = (event: ProxyEvent, now: number) => Promise<Record<string, unknown>>;

type Route = {
  readonly method: string;
  /** As the template has it, e.g. `/v1/watchlists/{watchlist}`. */
  readonly path: string;
  readonly target: LocalFunction;
  readonly authorize: Authorize | undefined;
};
type Matched = Route & { readonly parameters: Readonly<Record<string, string>> };

function readRoutes(stack: Stack, functionOf: (arn: string) => LocalFunction): readonly Route[] {
  const parts = new Map(
    stack
      .find('AWS::ApiGateway::Resource', z.object({ ParentId: z.string(), PathPart: z.string() }))
      .map(({ ref, properties }) => [ref, properties]),
  );
  const pathOf = (id: string): string => {
    const part = parts.get(id);
    return part ? `${pathOf(part.ParentId)}/${part.PathPart}` : '';
  };
  const targetOf = (uri: string) => {
    const [, arn] = /\/functions\/(.+)\/invocations$/.exec(uri) ?? [];
    if (arn === undefined) throw new TemplateError(`${uri} names no function`);
    return functionOf(arn);
  };
  const authorizers = new Map(
    stack
      .find('AWS::ApiGateway::Authorizer', AuthorizerProperties)
      .map((found) => [
        found.ref,
        createAuthorizer(found, targetOf(found.properties.AuthorizerUri)),
      ]),
  );
  return stack.find('AWS::ApiGateway::Method', MethodProperties).map(({ id, properties }) => {
    const authorize = authorizers.get(properties.AuthorizerId ?? '');
    if (properties.AuthorizationType === 'CUSTOM' && !authorize) {
      throw new TemplateError(`${id} names no authorizer of the template`);
    }
    return {
      method: properties.HttpMethod,
      path: pathOf(properties.ResourceId) || '/',
      target: targetOf(properties.Integration.Uri),
      authorize,
    };
  });
}

/** The route of a request; a literal part of a path goes before a parameter. */
function matchRoute(routes: readonly Route[], method: string, path: string): Matched | undefined {
  const given = path.split('/');
  const matches = routes
    .filter((route) => route.method === method || route.method === 'ANY')
    .map((route) => ({ route, wanted: route.path.split('/') }))
    .filter(
      ({ wanted }) =>
        wanted.length === given.length &&
        wanted.every((part, index) => part === given[index] || (isParameter(part) && given[index])),
    )
    .toSorted((one, other) =>
      parameterPattern(one.wanted).localeCompare(parameterPattern(other.wanted)),
    );
  const [best] = matches;
  if (!best) return undefined;
  const parameters = best.wanted.flatMap((part, index) =>
    isParameter(part) ? [[part.slice(1, -1), decode(given[index] ?? '')] as const] : [],
  );
  return { ...best.route, parameters: Object.fromEntries(parameters) };
}

const isParameter = (part: string) => part.startsWith('{');
const parameterPattern = (parts: readonly string[]) =>
  parts.map((part) => (isParameter(part) ? '1' : '0')).join('');

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Asks the authorizer once for each identity and keeps what it said for as long as the template has it. */
function createAuthorizer(
  { properties }: Found<z.output<typeof AuthorizerProperties>>,
  target: LocalFunction,
): Authorize {
  const [, header = ''] = /^method\.request\.header\.(.+)$/.exec(properties.IdentitySource) ?? [];
  const kept = new Map<string, { readonly until: number; readonly policy: Policy }>();
  const ask = async (event: ProxyEvent): Promise<Policy> => {
    const { body, isBase64Encoded, ...request } = event;
    try {
      const answer = await target.invoke({
        type: 'REQUEST',
        methodArn: methodArn(event),
        ...request,
      });
      return Policy.parse(answer);
    } catch (error) {
      const isRefusal = error instanceof Error && error.cause === 'Unauthorized';
      throw new GatewayAnswer(isRefusal ? 'UNAUTHORIZED' : 'AUTHORIZER_FAILURE', { cause: error });
    }
  };

  return async (event, now) => {
    const [, identity] =
      Object.entries(event.headers).find(([name]) => name.toLowerCase() === header.toLowerCase()) ??
      [];
    if (!identity) throw new GatewayAnswer('UNAUTHORIZED');
    const known = kept.get(identity);
    const policy = known && known.until > now ? known.policy : await ask(event);
    if (policy !== known?.policy) {
      kept.set(identity, { policy, until: now + properties.AuthorizerResultTtlInSeconds * 1000 });
    }
    const allowed = policy.policyDocument.Statement.some(
      ({ Effect, Resource }) => Effect === 'Allow' && covers(Resource, methodArn(event)),
    );
    const denied = policy.policyDocument.Statement.some(
      ({ Effect, Resource }) => Effect === 'Deny' && covers(Resource, methodArn(event)),
    );
    if (!allowed || denied) throw new GatewayAnswer('ACCESS_DENIED');
    const context = Object.entries(policy.context).map(([name, value]) => [name, String(value)]);
    return {
      principalId: policy.principalId,
      ...Object.fromEntries(context),
      integrationLatency: 0,
    };
  };
}

function methodArn({ httpMethod, path, requestContext: { apiId, stage } }: ProxyEvent): string {
  return `arn:aws:execute-api:${region}:${account}:${apiId}/${stage}/${httpMethod}${path}`;
}

function covers(resources: string | readonly string[], arn: string): boolean {
  return [resources].flat().some((resource) => {
    const pattern = RegExp.escape(resource).replaceAll('\\*', '.*').replaceAll('\\?', '.');
    return new RegExp(`^${pattern}$`).test(arn);
  });
}

type Asked = {
  readonly request: IncomingMessage;
  readonly url: URL;
  readonly route: Matched;
  readonly requestId: string;
  readonly body: string;
  readonly now: number;
};

/** The event of a Lambda proxy integration. */
function toEvent({ request, url, route, requestId, body, now }: Asked) {
  // Names keep the case in which they were sent, as in the account.
  const multiValueHeaders: Record<string, string[]> = {};
  for (const [name, value] of pairs(request.rawHeaders)) {
    multiValueHeaders[name] = [...(multiValueHeaders[name] ?? []), value];
  }
  const multiValueQuery: Record<string, string[]> = {};
  for (const name of url.searchParams.keys()) multiValueQuery[name] = url.searchParams.getAll(name);
  const headers = lastValues(multiValueHeaders);
  return {
    resource: route.path,
    path: url.pathname,
    httpMethod: request.method ?? '',
    headers,
    multiValueHeaders,
    queryStringParameters: orNull(lastValues(multiValueQuery)),
    multiValueQueryStringParameters: orNull(multiValueQuery),
    pathParameters: orNull(route.parameters),
    stageVariables: null,
    requestContext: {
      accountId: account,
      apiId: 'local',
      stage: 'local',
      protocol: `HTTP/${request.httpVersion}`,
      domainName: request.headers.host ?? 'localhost',
      httpMethod: request.method ?? '',
      path: `/local${url.pathname}`,
      resourcePath: route.path,
      requestId,
      extendedRequestId: requestId,
      requestTime: new Date(now).toUTCString(),
      requestTimeEpoch: now,
      identity: {
        sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
        userAgent: request.headers['user-agent'] ?? null,
      },
    },
    body: body === '' ? null : body,
    isBase64Encoded: false,
  };
}

function pairs(alternating: readonly string[]): [string, string][] {
  return alternating.flatMap((name, index) =>
    index % 2 === 0 ? [[name, alternating[index + 1] ?? ''] satisfies [string, string]] : [],
  );
}

function lastValues(values: Readonly<Record<string, readonly string[]>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all.at(-1) ?? '']));
}

function orNull<Value extends object>(value: Value): Value | null {
  return Object.keys(value).length === 0 ? null : value;
}

/** The body as text; undefined if it is larger than the gateway takes. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= bodyLimitBytes) chunks.push(chunk);
  }
  return size <= bodyLimitBytes ? Buffer.concat(chunks).toString() : undefined;
}

async function within29Seconds(result: Promise<unknown>): Promise<unknown> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new GatewayAnswer('INTEGRATION_TIMEOUT')), 29_000);
  try {
    return await Promise.race([result, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function sendResult(response: ServerResponse, result: unknown): void {
  const { statusCode, headers, multiValueHeaders, body, isBase64Encoded } =
    ProxyResult.parse(result);
  response.statusCode = statusCode;
  for (const [name, value] of Object.entries({ ...headers, ...multiValueHeaders })) {
    response.setHeader(name, Array.isArray(value) ? value : String(value));
  }
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'application/json');
  response.end(isBase64Encoded ? Buffer.from(body, 'base64') : body);
}

type Answers = ReadonlyMap<string, z.output<typeof AnswerProperties>>;

function readAnswers(stack: Stack): Answers {
  const found = stack.find('AWS::ApiGateway::GatewayResponse', AnswerProperties);
  return new Map(found.map(({ properties }) => [properties.ResponseType, properties]));
}

function sendAnswer(
  response: ServerResponse,
  answers: Answers,
  type: string,
  { requestId, path }: { readonly requestId: string; readonly path: string },
): void {
  const { status, message } = defaultOf(type);
  const fallback = status >= 500 ? 'DEFAULT_5XX' : 'DEFAULT_4XX';
  const answer = answers.get(type) ?? answers.get(fallback);
  const context: Readonly<Record<string, string>> = {
    'error.message': message,
    'error.messageString': JSON.stringify(message),
    'error.responseType': type,
    requestId,
    path,
  };
  const template = answer?.ResponseTemplates['application/json'] ?? defaultAnswer;
  const body = template.replace(
    /\$context\.([\w.]*\w)/g,
    (_whole, name: string) => context[name] ?? '',
  );
  response.statusCode = Number(answer?.StatusCode ?? status);
  response.setHeader('content-type', 'application/json');
  for (const [name, value] of Object.entries(answer?.ResponseParameters ?? {})) {
    response.setHeader(
      name.replace('gatewayresponse.header.', ''),
      value.replace(/^'(.*)'$/, '$1'),
    );
  }
  response.end(body);
}

const defaultOf = (type: string) =>
  gatewayDefaults[type] ?? { status: 502, message: 'Internal server error' };
const defaultAnswer = '{"message":$context.error.messageString}';
const gatewayDefaults: Readonly<
  Record<string, { readonly status: number; readonly message: string }>
> = {
  UNAUTHORIZED: { status: 401, message: 'Unauthorized' },
  ACCESS_DENIED: { status: 403, message: 'User is not authorized to access this resource' },
  MISSING_AUTHENTICATION_TOKEN: { status: 403, message: 'Missing Authentication Token' },
  REQUEST_TOO_LARGE: { status: 413, message: 'Request Too Long' },
  AUTHORIZER_FAILURE: { status: 500, message: 'Internal server error' },
  INTEGRATION_TIMEOUT: { status: 504, message: 'Endpoint request timed out' },
};

const AuthorizerProperties = z.object({
  Type: z.literal('REQUEST'),
  AuthorizerUri: z.string(),
  IdentitySource: z.string().regex(/^method\.request\.header\.[\w-]+$/),
  AuthorizerResultTtlInSeconds: z.number().default(300),
});

const MethodProperties = z.object({
  HttpMethod: z.string(),
  ResourceId: z.string(),
  AuthorizationType: z.enum(['CUSTOM', 'NONE']),
  AuthorizerId: z.string().optional(),
  Integration: z.object({ Type: z.literal('AWS_PROXY'), Uri: z.string() }),
});

const AnswerProperties = z.object({
  ResponseType: z.string(),
  StatusCode: z.string().optional(),
  ResponseParameters: z.record(z.string(), z.string()).default({}),
  ResponseTemplates: z.record(z.string(), z.string()).default({}),
});

const Policy = z.object({
  principalId: z.string(),
  policyDocument: z.object({
    Statement: z.array(
      z.object({
        Effect: z.enum(['Allow', 'Deny']),
        Resource: z.union([z.string(), z.array(z.string())]),
      }),
    ),
  }),
  // The gateway passes only flat values on.
  context: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
});
type Policy = z.output<typeof Policy>;

const headerValue = z.union([z.string(), z.number(), z.boolean()]);
const ProxyResult = z.object({
  statusCode: z.number(),
  headers: z.record(z.string(), headerValue).nullish(),
  multiValueHeaders: z.record(z.string(), z.array(z.string())).nullish(),
  body: z
    .string()
    .nullish()
    .transform((body) => body ?? ''),
  isBase64Encoded: z.boolean().default(false),
});
