import type { Problem } from '#shared/http/answer-shapes.ts';
import { isOffline, noteAnswer } from './connection.ts';
import type { Answer, BodyOf, PathOf, QueryOf, RouteName } from './operations.ts';
import { apiKey, endSession } from './session.ts';

/** The result of a request: its answer, or the reason why there is none. */
export type Outcome<Body> =
  | {
      readonly kind: 'answered';
      readonly answer: Body;
      /** The ETag of the answer, for `If-Match` and `If-None-Match`. */
      readonly tag: string | undefined;
    }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly problem: Problem }
  | { readonly kind: 'offline' };

/** The parts of a request other than its route. */
export type Given<Route extends RouteName> = {
  readonly path?: PathOf<Route>;
  readonly query?: QueryOf<Route>;
  readonly body?: BodyOf<Route>;
  /**
   * A body as text, such as the content of an imported file. The console sends it
   * unchanged, and the API validates it.
   */
  readonly text?: string;
  /**
   * The ETag of the edited version. If the version is no longer current, the API rejects the edit.
   */
  readonly ifMatch?: string | undefined;
  /** The ETag of the known answer. If that answer is still current, the outcome is `unchanged`. */
  readonly ifNoneMatch?: string | undefined;
  /** A key to use instead of the key of the session. */
  readonly key?: string | undefined;
};

/** Sends a request to the API, which has the same origin as the console. */
export async function ask<Route extends RouteName>(
  route: Route,
  given: Given<Route> = {},
): Promise<Outcome<Answer<Route>>> {
  const { key = apiKey.peek() } = given;
  return await outcomeOf(
    key,
    (signal) => send(route, { ...given, key }, signal),
    async (response) =>
      response.status === 204
        ? undefined
        : // The type and the answer come from the same deployment, so they match.
          await response.json(),
  );
}

/** A page of a CSV table, and the cursor of the next page. */
export type CsvPage = { readonly text: string; readonly cursor: string | undefined };

/** Requests a page of a table as CSV, if the operation supports it. */
export async function askCsv<Route extends 'GET /v1/episodes'>(
  route: Route,
  query: QueryOf<Route>,
): Promise<Outcome<CsvPage>> {
  const key = apiKey.peek();
  return await outcomeOf(
    key,
    (signal) => send(route, { query: { ...query, format: 'csv' }, key }, signal),
    async (response) => {
      const [, next = ''] =
        /<\?([^>]*)>; rel="next"/.exec(response.headers.get('Link') ?? '') ?? [];
      const cursor = new URLSearchParams(next).get('cursor') ?? undefined;
      return { text: await response.text(), cursor };
    },
  );
}

async function send<Route extends RouteName>(
  route: Route,
  { path, query, body, text, ifMatch, ifNoneMatch, key }: Given<Route>,
  signal: AbortSignal,
): Promise<Response> {
  const [method = 'GET', template = ''] = route.split(' ');
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body));
  const headers = new Headers({ Accept: 'application/json' });
  if (key !== undefined) headers.set('X-API-Key', key);
  if (sent !== undefined) headers.set('Content-Type', 'application/json');
  if (ifMatch !== undefined) headers.set('If-Match', ifMatch);
  if (ifNoneMatch !== undefined) headers.set('If-None-Match', ifNoneMatch);
  const url = addressOf(template, path, query);
  // `no-store` keeps the data of a tenant out of the browser cache, so the console sends ETags
  // itself.
  const options: RequestInit = { method, headers, signal, cache: 'no-store' };
  return await fetch(url, sent === undefined ? options : { ...options, body: sent });
}

/**
 * The gateway times out after 29 seconds, so a request that is still open after that has lost its
 * connection.
 */
const GIVEN_UP_AFTER = 30_000;

async function outcomeOf<Body>(
  key: string | undefined,
  asking: (signal: AbortSignal) => Promise<Response>,
  read: (response: Response) => Promise<Body>,
): Promise<Outcome<Body>> {
  let response: Response;
  let outcome: Outcome<Body>;
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), GIVEN_UP_AFTER);
  try {
    response = await asking(abort.signal);
    outcome = await readOutcome(response, read);
  } catch {
    isOffline.value = true;
    return { kind: 'offline' };
  } finally {
    clearTimeout(timer);
  }
  noteAnswer(response);
  if (response.status === 401) {
    endSession(key, 'The key is not valid: it is wrong, has expired, or was revoked.');
  }
  return outcome;
}

async function readOutcome<Body>(
  response: Response,
  read: (response: Response) => Promise<Body>,
): Promise<Outcome<Body>> {
  if (response.status === 304) return { kind: 'unchanged' };
  if (!response.ok) return { kind: 'refused', problem: await problemIn(response) };
  const tag = response.headers.get('ETag') ?? undefined;
  return { kind: 'answered', answer: await read(response), tag };
}

/**
 * Reads the problem of a rejected request. If a proxy returned an HTML page instead, states the
 * status.
 */
async function problemIn(response: Response): Promise<Problem> {
  const { status } = response;
  const unexplained: Problem = {
    ...{ type: 'about:blank', title: 'Error', status },
    detail: `The server returned an error (status ${status}). Try again later.`,
  };
  try {
    return { ...unexplained, ...(await response.json()) };
  } catch {
    return unexplained;
  }
}

/** Decodes the last name in the path of a link. `addressOf` needs decoded names. */
export function nameIn(link: string): string {
  return decodeURIComponent(link.split('/').at(-1) ?? '');
}

/** The URL of a route of the stack that serves this page. */
export function addressOf(
  template: string,
  path: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, string | number | undefined>> = {},
): URL {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(path[name] ?? ''),
  );
  // Without a custom domain, the gateway prefixes all paths with its stage, including `/app`.
  const base = location.pathname.replace(/\/app\/?$/, '');
  const url = new URL(`${base}${filled}`, location.origin);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}
