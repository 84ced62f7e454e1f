import type { Problem } from '#shared/http/answer-shapes.ts';
import { isOffline, noteAnswer } from './connection.ts';
import type { Answer, BodyOf, PathOf, QueryOf, RouteName } from './operations.ts';
import { apiKey, endSession } from './session.ts';

/** What came of a request. */
export type Outcome<Told> =
  | {
      readonly kind: 'answered';
      readonly answer: Told;
      /** Identifies what was read, for `If-Match` and `If-None-Match`. */
      readonly tag: string | undefined;
    }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly problem: Problem }
  | { readonly kind: 'offline' };

/** What a request has besides its route. */
export type Given<Route extends RouteName> = {
  readonly path?: PathOf<Route>;
  readonly query?: QueryOf<Route>;
  readonly body?: BodyOf<Route>;
  /** A body as somebody else wrote it: what is wrong with it the interface says. */
  readonly text?: string;
  /** The tag of what an edit was made from: it is refused where that has changed since. */
  readonly ifMatch?: string | undefined;
  /** The tag of what is known: the answer is `unchanged` where that is still so. */
  readonly ifNoneMatch?: string | undefined;
  /** Another key than that of the session. */
  readonly key?: string | undefined;
};

/** Asks the interface, which is served beside the console. */
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
        : // The document that this type is of and the answer come from the same deployment.
          await response.json(),
  );
}

/** A page of a table, and what leads to the next. */
export type CsvPage = { readonly text: string; readonly cursor: string | undefined };

/** Asks for a page of a table, where an operation has them. */
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
  // The console itself compares tags, and nothing of a tenant stays in the cache of the browser.
  const options: RequestInit = { method, headers, signal, cache: 'no-store' };
  return await fetch(url, sent === undefined ? options : { ...options, body: sent });
}

/** The gateway gives up after 29 seconds: a request without an answer by then has lost its connection. */
const GIVEN_UP_AFTER = 30_000;

async function outcomeOf<Told>(
  key: string | undefined,
  asking: (signal: AbortSignal) => Promise<Response>,
  read: (response: Response) => Promise<Told>,
): Promise<Outcome<Told>> {
  let response: Response;
  let outcome: Outcome<Told>;
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

async function readOutcome<Told>(
  response: Response,
  read: (response: Response) => Promise<Told>,
): Promise<Outcome<Told>> {
  if (response.status === 304) return { kind: 'unchanged' };
  if (!response.ok) return { kind: 'refused', problem: await problemIn(response) };
  const tag = response.headers.get('ETag') ?? undefined;
  return { kind: 'answered', answer: await read(response), tag };
}

/** The problem of a refusal. Whatever stands between may answer with a page in place of one. */
async function problemIn(response: Response): Promise<Problem> {
  const { status } = response;
  const unexplained: Problem = {
    ...{ type: 'about:blank', title: 'Error', status },
    detail: `The server answered with the status ${status}.`,
  };
  try {
    return { ...unexplained, ...(await response.json()) };
  } catch {
    return unexplained;
  }
}

/** Decodes the last name in the path of a link; `addressOf` encodes it again. */
export function nameIn(link: string): string {
  return decodeURIComponent(link.split('/').at(-1) ?? '');
}

/** Where a route is asked, of the stack that serves this page. */
export function addressOf(
  template: string,
  path: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, string | number | undefined>> = {},
): URL {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(path[name] ?? ''),
  );
  // Behind a gateway a stage stands before `/app`, as before all other paths.
  const base = location.pathname.replace(/\/app\/?$/, '');
  const url = new URL(`${base}${filled}`, location.origin);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}
