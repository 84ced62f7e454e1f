import { GATEWAY_PROBLEMS } from '#infra/openapi/gateway-problems.ts';
import { ProblemError } from '#shared/http/problem.ts';

/** An answer that API Gateway gives without a function. */
export type OwnAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
};

/** The gateway's answers to requests that reach no function (RFC 9457), by construct id. */
export function problemAnswers(
  isForPages: boolean,
): Readonly<Record<string, OwnAnswer & { readonly occasion: string; readonly body: object }>> {
  return Object.fromEntries(
    Object.entries(GATEWAY_PROBLEMS).map(([id, { occasion, problem }]) => [
      id,
      {
        occasion,
        status: problem.status,
        headers: {
          'Content-Type': 'application/problem+json',
          'Cache-Control': 'no-store',
          ...HEADERS[problem.status],
          ...(id === 'Firewalled' ? FOR_BLOCKED : {}),
          ...(isForPages ? FOR_PAGES : {}),
        },
        body: problem,
      },
    ]),
  );
}

/** The gateway's answers to `OPTIONS` requests, and to methods that the path does not support. */
export function otherMethodAnswers(
  methods: readonly string[],
  isForPages: boolean,
): { readonly toOptions: OwnAnswer; readonly toOthers: OwnAnswer } {
  const allow = [...methods, 'OPTIONS'].join(', ');
  const problem = new ProblemError(`this path accepts ${methods.join(', ')}`, {
    type: 'method_not_allowed',
  });
  return {
    toOptions: {
      status: 204,
      headers: { Allow: allow, ...(isForPages ? preflightHeaders(allow) : {}) },
    },
    toOthers: {
      status: problem.status,
      headers: {
        Allow: allow,
        'Content-Type': 'application/problem+json',
        'Cache-Control': 'no-store',
        ...(isForPages ? ANY_PAGE : {}),
      },
      body: { ...problem.toJSON(), message: problem.message },
    },
  };
}

/**
 * The media types of bodies in requests that the gateway answers itself; it rejects others with
 * 415.
 */
export const SENT_TYPES = [
  'application/json',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'text/plain',
] as const;

/**
 * These answers contain no tenant data. If CORS allows pages of at least one origin to use the API,
 * pages of all origins may read these answers.
 */
const FOR_PAGES = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Retry-After',
};

/** The firewall counts requests in five minutes, including blocked ones. */
const FOR_BLOCKED = { 'Retry-After': '300' };

const HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'WWW-Authenticate': 'ApiKey' },
  429: { 'Retry-After': '1' },
};

/**
 * Lets pages of all origins read which methods a path supports: the request needs no key and has no
 * effect.
 */
const ANY_PAGE = { 'Access-Control-Allow-Origin': '*' };

/** The answer to a preflight request. */
function preflightHeaders(methods: string): OwnAnswer['headers'] {
  return {
    ...ANY_PAGE,
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers':
      'X-API-Key, Content-Type, If-Match, If-None-Match, Idempotency-Key',
    'Access-Control-Max-Age': '7200',
  };
}
