import { createHash } from 'node:crypto';
import type { Answer, RouteName } from '#console/interface/operations.ts';
import { channelRoutes } from '#functions/manage-channels/routes.ts';
import { keyRoutes } from '#functions/manage-keys/routes.ts';
import { contractRoutes } from '#functions/serve-api/contracts/routes.ts';
import { operationsRoutes } from '#functions/serve-api/operations/routes.ts';
import { watchlistRoutes } from '#functions/serve-api/watchlists/routes.ts';
import { OPERATIONS } from '#infra/openapi/document.ts';
import { GATEWAY_PROBLEMS } from '#infra/openapi/gateway-problems.ts';
import { ProblemError } from '#shared/http/problem.ts';
import type { Route } from '#shared/http/route.ts';
import { anHttpRequest } from '#test/support/builders.ts';

const ROUTES: Readonly<Record<string, Route>> = {
  ...{ ...watchlistRoutes, ...channelRoutes, ...contractRoutes, ...keyRoutes, ...operationsRoutes },
};

/** The valid key, unless a test names others. */
export const KEY = 'fw_desk';

/** The only route of the console whose answer is not JSON. */
export const PICTURE = 'GET /v1/contracts/{contract}/picture';

/** A recorded request. */
export type Asked = {
  readonly route: string;
  /** The parameters of its path, decoded once. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly key: string | null;
  readonly ifMatch: string | null;
  readonly ifNoneMatch: string | null;
};

/** An answer from a test: a body, or a whole response. */
type Reply<Body> = Body | Response | Promise<Body | Response>;
type Replies = { readonly [Name in RouteName]?: (asked: Asked) => Reply<Answer<Name>> } & {
  readonly [PICTURE]?: (asked: Asked) => Response;
};
type Keys = Readonly<Record<string, Partial<Answer<'GET /v1/key'>>>>;

/** The example answer of a route in the OpenAPI document. */
export function example<Name extends RouteName>(route: Name): Answer<Name> {
  const answers = Object.entries(OPERATIONS[route]?.answers ?? {});
  const found = answers.find(([status, answer]) => status < '300' && 'example' in answer);
  return structuredClone(found?.[1].example) as Answer<Name>;
}

/** A problem document as the API returns it. */
export function refusal(...problem: ConstructorParameters<typeof ProblemError>): Response {
  return responseOf(new ProblemError(...problem));
}

/**
 * A fake of the API. The real route checks each request. Unless a test gives another answer, the
 * response is the example of the OpenAPI document. Unknown keys and paths are refused.
 */
export function fakeInterface(replies: Replies = {}, keys: Keys = { [KEY]: {} }) {
  const asked: Asked[] = [];
  let current: Replies = replies;
  let isReachable = true;

  const fetch = async (url: URL, init: RequestInit = {}): Promise<Response> => {
    if (!isReachable) throw new TypeError('fetch failed');
    const { method = 'GET' } = init;
    const headers = new Headers(init.headers);
    const found = matchRoute(method, url.pathname);
    if (found === undefined) return refusal('there is no such path', { type: 'not_found' });
    const { route, parameters } = found;
    const text = typeof init.body === 'string' ? init.body : undefined;
    const request: Asked = {
      ...{ route, query: Object.fromEntries(url.searchParams) },
      path: Object.fromEntries(
        Object.entries(parameters).map(([name, series]) => [name, decodeURIComponent(series)]),
      ),
      body: text === undefined ? undefined : JSON.parse(text),
      key: headers.get('X-API-Key'),
      ifMatch: headers.get('If-Match'),
      ifNoneMatch: headers.get('If-None-Match'),
    };
    asked.push(request);
    const known = keys[request.key ?? ''];
    if (known === undefined && ROUTES[route]?.access !== 'public') {
      return responseOf(GATEWAY_PROBLEMS.AccessDenied.problem);
    }
    const refused = refusalOf(request, text, Object.fromEntries(headers));
    if (refused !== undefined) return refused;
    const reply = await Promise.race([replyTo(request, known), aborted(init.signal)]);
    return reply instanceof Response ? reply : answerOf(request, reply, headers);
  };

  const replyTo = async (request: Asked, known: Keys[string] = {}): Promise<unknown> => {
    const route = request.route as RouteName;
    const given = current[route] as ((asked: Asked) => unknown) | undefined;
    if (given !== undefined) return await given(request);
    return route === 'GET /v1/key' ? { ...example('GET /v1/key'), ...known } : example(route);
  };

  return {
    fetch,
    /** All requests for a route, in order. */
    asked: (route: RouteName | typeof PICTURE) => asked.filter((one) => one.route === route),
    /** Replaces the answers of these routes from now on. */
    reply: (changed: Replies) => {
      current = { ...current, ...changed };
    },
    /** Sets whether requests reach the fake. */
    reach: (can: boolean) => {
      isReachable = can;
    },
  };
}

/** Rejects when the client aborts a request. */
async function aborted(signal: AbortSignal | null | undefined): Promise<never> {
  return await new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
  });
}

/** Matches a route like the gateway: literal parts precede parameters. */
function matchRoute(method: string, pathname: string) {
  const given = pathname.slice(pathname.indexOf('/v1/')).split('/');
  const matches = Object.keys(ROUTES).flatMap((route) => {
    const [routeMethod, template = ''] = route.split(' ');
    const parts = template.split('/');
    const fits = parts.every((part, index) =>
      part.startsWith('{') ? given[index] !== '' : part === given[index],
    );
    if (routeMethod !== method || parts.length !== given.length || !fits) return [];
    const parameters = parts.flatMap((part, index) =>
      part.startsWith('{') ? [[part.slice(1, -1), given[index] ?? ''] as const] : [],
    );
    return [{ route, parameters: Object.fromEntries(parameters) }];
  });
  const count = ({ parameters }: (typeof matches)[number]) => Object.keys(parameters).length;
  return matches.toSorted((one, other) => count(one) - count(other))[0];
}

/** The refusal of the real route; undefined if it accepts the request. */
function refusalOf(
  { route, path, query }: Asked,
  body: string | undefined,
  headers: Readonly<Record<string, string>>,
): Response | undefined {
  const scopes = 'view read write admin operate';
  try {
    ROUTES[route]?.check(anHttpRequest(route, { path, query, body, headers, scopes }));
    return undefined;
  } catch (error) {
    if (error instanceof ProblemError) return responseOf(error);
    throw error;
  }
}

function responseOf(problem: { readonly status: number }): Response {
  return new Response(JSON.stringify(problem), { status: problem.status });
}

function answerOf({ route, body: sent }: Asked, body: unknown, headers: Headers): Response {
  if (body === undefined) return new Response(null, { status: 204 });
  const text = JSON.stringify(body);
  const tag = `"${createHash('sha256').update(text).digest('base64url')}"`;
  const isRead = route.startsWith('GET ') && sent === undefined;
  if (isRead && headers.get('If-None-Match') === tag) return new Response(null, { status: 304 });
  return new Response(text, { headers: { ETag: tag, Date: new Date().toUTCString() } });
}
