import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authorize } from './authorizer.ts';
import {
  defaultOf,
  GatewayAnswer,
  type GatewayAnswers,
  sendGatewayAnswer,
} from './gateway-answers.ts';
import { closeServer, createLoopbackServer, listen } from './loopback.ts';
import { type OtherMethods, sendOwnAnswer } from './own-answer.ts';
import { sendProxyResult, toProxyEvent } from './proxy-event.ts';

/** The configuration of a gateway. */
export type LocalApi = {
  readonly routes: readonly GatewayRoute[];
  readonly answers: GatewayAnswers;
  /** Whether functions receive text bodies in base64, like binary ones. */
  readonly isBase64Encoded: boolean;
};

/** A request for one of the pages of the local runtime. */
type PageRequest = Pick<IncomingMessage, 'headers'> & { readonly body: string };

/** A REST API on loopback. */
export type Gateway = {
  readonly url: string;
  /** The number of requests in progress. */
  readonly open: () => number;
  readonly close: () => Promise<void>;
};

export type GatewayOptions = {
  readonly api: LocalApi;
  readonly now: () => number;
  readonly onFailure: (error: unknown) => void;
  /** Additional paths of the local runtime. A page returns undefined to reject a request. */
  readonly pages: Readonly<Record<string, (request: PageRequest) => Promise<unknown>>>;
  readonly port?: number;
  /** The stage before each path, as under `execute-api`; left out under a custom domain. */
  readonly stage?: string | undefined;
};

const bodyLimitBytes = 10_000_000;

/** Serves routes, their authorizer and the gateway's own answers. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { api, now, onFailure, pages } = options;
  const prefix = options.stage === undefined ? '' : `/${options.stage}`;
  const { answers, isBase64Encoded } = api;
  const routes = inOrder(api.routes);
  let open = 0;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const requestId = randomUUID();
    const asked = withoutPrefix(request.url ?? '', prefix);
    if (asked === undefined) {
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end('{"message":"Forbidden"}');
      return;
    }
    const url = new URL(`http://localhost${asked}`);
    const page = pages[url.pathname];
    if (page) {
      const body = (await readBody(request))?.toString('utf8') ?? '';
      const answer = await page({ headers: request.headers, body });
      response.statusCode = answer === undefined ? 403 : 200;
      response.setHeader('content-type', 'application/json');
      response.end(`${JSON.stringify(answer ?? {}, null, 2)}\n`);
      return;
    }
    response.setHeader('x-amzn-requestid', requestId);
    // The time of the stack, which may run faster than real time.
    response.setHeader('date', new Date(now()).toUTCString());
    const body = await readBody(request);
    const route = matchRoute(routes, request.method ?? '', url.pathname);
    try {
      if (!route) throw new GatewayAnswer('MISSING_AUTHENTICATION_TOKEN');
      if (body === undefined) throw new GatewayAnswer('REQUEST_TOO_LARGE');
      if ('answer' in route) {
        sendOwnAnswer(response, route.answer, request);
        return;
      }
      const { path: resource, parameters } = route;
      const event = toProxyEvent({
        ...{ request, url, prefix, resource, parameters, requestId, isBase64Encoded },
        now: now(),
        body: body.toString(isBase64Encoded ? 'base64' : 'utf8'),
      });
      const authorizer = await route.authorize?.(event, now());
      const requestContext = { ...event.requestContext, authorizer };
      const result = await within29Seconds(route.target.invoke({ ...event, requestContext }));
      sendProxyResult(response, result);
    } catch (error) {
      const type = error instanceof GatewayAnswer ? error.type : 'DEFAULT_5XX';
      if (defaultOf(type).status >= 500) onFailure(error);
      sendGatewayAnswer(response, answers, type, { requestId, path: url.pathname });
    }
  };

  const server = createLoopbackServer(async (request, response) => {
    // Requests for the runtime's own pages are not counted: a viewer must not stop the clock.
    const weight = request.url?.startsWith('/local/') ? 0 : 1;
    open += weight;
    try {
      await serve(request, response);
    } finally {
      open -= weight;
    }
  }, onFailure);
  const url = await listen(server, options.port);
  return { url: `${url}${prefix}`, open: () => open, close: () => closeServer(server) };
}

/** The path after the stage; undefined for a request to another stage. */
function withoutPrefix(asked: string, prefix: string): string | undefined {
  const rest = asked.slice(prefix.length);
  return asked.startsWith(prefix) && /^([/?]|$)/.test(rest) ? rest : undefined;
}

/** The function that handles a route. */
export type Target = { readonly invoke: (event: unknown) => Promise<unknown> };

/** A route of the API. */
export type GatewayRoute = {
  readonly method: string;
  /** The path in the template, e.g. `/v1/watchlists/{watchlist}`. */
  readonly path: string;
  /** The segments of the path. */
  readonly parts: readonly string[];
} & (
  | { readonly target: Target; readonly authorize: Authorize | undefined }
  /** The gateway itself answers the request. */
  | { readonly answer: OtherMethods }
);
type Matched = GatewayRoute & { readonly parameters: Readonly<Record<string, string>> };

/** Literal parts of a path take precedence over parameters, and methods over `ANY`. */
function inOrder(routes: readonly GatewayRoute[]): readonly GatewayRoute[] {
  return routes.toSorted(
    (one, other) =>
      parameterPattern(one.parts).localeCompare(parameterPattern(other.parts)) ||
      Number(one.method === 'ANY') - Number(other.method === 'ANY'),
  );
}

/** The first route that matches a request. As on AWS, `/app/` matches the route `/app`. */
function matchRoute(
  routes: readonly GatewayRoute[],
  method: string,
  path: string,
): Matched | undefined {
  const given = path.replace(/(?<=.)\/$/, '').split('/');
  const best = routes.find(
    (route) =>
      (route.method === method || route.method === 'ANY') &&
      route.parts.length === given.length &&
      route.parts.every(
        (part, index) => part === given[index] || (isParameter(part) && given[index]),
      ),
  );
  if (!best) return undefined;
  const parameters = best.parts.flatMap((part, index) =>
    isParameter(part) ? [[part.slice(1, -1), given[index] ?? ''] as const] : [],
  );
  return { ...best, parameters: Object.fromEntries(parameters) };
}

const isParameter = (part: string) => part.startsWith('{');
const parameterPattern = (parts: readonly string[]) =>
  parts.map((part) => (isParameter(part) ? '1' : '0')).join('');

/** The body; undefined if it exceeds the gateway's limit. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= bodyLimitBytes) chunks.push(chunk);
  }
  return size <= bodyLimitBytes ? Buffer.concat(chunks) : undefined;
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
