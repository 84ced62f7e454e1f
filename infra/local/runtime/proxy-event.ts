import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';

/** The account and region of a local stack. */
export const account = '000000000000';
export const region = 'us-east-1';

export type ProxyEvent = ReturnType<typeof toProxyEvent>;

export type Asked = {
  readonly request: IncomingMessage;
  readonly url: URL;
  /** The prefix of the path under `execute-api`; left out under a custom domain. */
  readonly prefix?: string;
  /** The path of the route in the template, and the values of its parameters. */
  readonly resource: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly requestId: string;
  readonly body: string;
  readonly isBase64Encoded: boolean;
  readonly now: number;
};

/** The event of a Lambda proxy integration. */
export function toProxyEvent(asked: Asked) {
  const { request, url, prefix, resource, parameters, requestId, body, isBase64Encoded, now } =
    asked;
  // Header names keep their case, as on AWS.
  const multiValueHeaders: Record<string, string[]> = {};
  for (const [name, value] of pairs(request.rawHeaders)) {
    multiValueHeaders[name] = [...(multiValueHeaders[name] ?? []), value];
  }
  const multiValueQuery: Record<string, string[]> = {};
  for (const name of url.searchParams.keys()) multiValueQuery[name] = url.searchParams.getAll(name);
  const headers = lastValues(multiValueHeaders);
  return {
    resource,
    path: url.pathname,
    httpMethod: request.method ?? '',
    headers,
    multiValueHeaders,
    queryStringParameters: orNull(lastValues(multiValueQuery)),
    multiValueQueryStringParameters: orNull(multiValueQuery),
    pathParameters: orNull(parameters),
    stageVariables: null,
    requestContext: {
      accountId: account,
      apiId: 'local',
      stage: 'local',
      protocol: `HTTP/${request.httpVersion}`,
      domainName: request.headers.host ?? 'localhost',
      httpMethod: request.method ?? '',
      path: `${prefix}${url.pathname}`,
      resourcePath: resource,
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
    isBase64Encoded: isBase64Encoded && body !== '',
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

/** Sends the result of a function; throws if it is not a valid response. */
export function sendProxyResult(response: ServerResponse, result: unknown): void {
  const { statusCode, headers, multiValueHeaders, body, isBase64Encoded } =
    ProxyResult.parse(result);
  response.statusCode = statusCode;
  for (const [name, value] of Object.entries({ ...headers, ...multiValueHeaders })) {
    response.setHeader(name, Array.isArray(value) ? value : String(value));
  }
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'application/json');
  response.end(isBase64Encoded ? Buffer.from(body, 'base64') : body);
}

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
