import { ProblemError, type ProblemType } from '#shared/http/problem.ts';

const KEY = 'Send a valid API key in the X-API-Key header.';
const NO_PATH = 'There is no such path.';

/**
 * The problems that the gateway answers itself, each by its construct id, with the gateway's name
 * for its occasion. Types that cannot occur here (usage plans) fall to the two defaults.
 */
export const GATEWAY_PROBLEMS = {
  Unauthorized: of('UNAUTHORIZED', unauthorized(KEY)),
  // What our authorizer denies: a key that opens nothing. What a key may do, functions say.
  AccessDenied: of('ACCESS_DENIED', unauthorized(KEY)),
  InvalidApiKey: of('INVALID_API_KEY', known('forbidden', 'This API key may not do that.')),
  InvalidSignature: of(
    'INVALID_SIGNATURE',
    unauthorized('Leave out the Authorization header; send an API key in the X-API-Key header.'),
  ),
  // The gateway's name for a path that it does not have; each that it has takes any method.
  UnknownRoute: of('MISSING_AUTHENTICATION_TOKEN', known('not_found', NO_PATH)),
  ResourceNotFound: of('RESOURCE_NOT_FOUND', known('not_found', NO_PATH)),
  BadBody: of(
    'BAD_REQUEST_BODY',
    known('invalid_request', 'The body is not what this path takes.'),
  ),
  BadParameters: of(
    'BAD_REQUEST_PARAMETERS',
    known('invalid_request', 'A parameter is missing or not what this path takes.'),
  ),
  TooLarge: of('REQUEST_TOO_LARGE', known('too_large', 'The request is larger than 10 MB.')),
  UnsupportedMediaType: of('UNSUPPORTED_MEDIA_TYPE', known('unsupported_media_type', 'Send JSON.')),
  Throttled: of(
    'THROTTLED',
    known('throttled', 'Too many requests at once; try again in a second.'),
  ),
  Firewalled: of(
    'WAF_FILTERED',
    known('throttled', 'Too many requests from this address; try again in some minutes.'),
  ),
  QuotaExceeded: of('QUOTA_EXCEEDED', known('throttled', 'The quota of this API key is used up.')),
  AuthorizerFailure: of(
    'AUTHORIZER_FAILURE',
    known('internal', 'The API key could not be checked; try again.'),
  ),
  IntegrationFailure: of(
    'INTEGRATION_FAILURE',
    own('function_failed', 502, 'Bad Gateway', 'The request could not be handled; try again.'),
  ),
  IntegrationTimeout: of(
    'INTEGRATION_TIMEOUT',
    own('function_timeout', 504, 'Gateway Timeout', 'The request took too long; try again.'),
  ),
  OtherClientError: of(
    'DEFAULT_4XX',
    own('bad_request', 400, 'Bad Request', 'The request is not one that can be handled.'),
  ),
  OtherServerError: of(
    'DEFAULT_5XX',
    known('internal', 'The request could not be handled; try again.'),
  ),
};

type Problem = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
};

/** With the `message` that clients of the v2.2 interface read: here no route is known. */
function of(occasion: string, problem: Problem) {
  return { occasion, problem: { ...problem, message: problem.detail } };
}

/** A problem that functions answer with too. */
function known(type: ProblemType, detail: string): Problem {
  return new ProblemError(detail, { type }).toJSON();
}

/** A problem that only the gateway answers with. */
function own(code: string, status: number, title: string, detail: string): Problem {
  return { type: `urn:floorwatch:problem:${code}`, title, status, detail };
}

function unauthorized(detail: string): Problem {
  return own('unauthorized', 401, 'Unauthorized', detail);
}
