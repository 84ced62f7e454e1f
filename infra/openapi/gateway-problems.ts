import { ProblemError, type ProblemType } from '#shared/http/problem.ts';

const KEY = 'Send a valid API key in the X-API-Key header.';
const NO_PATH = 'There is no such path.';

/**
 * The problems that the gateway returns itself, by construct id, with the gateway's response type.
 * Response types that cannot occur here, such as those of usage plans, use the two defaults.
 */
export const GATEWAY_PROBLEMS = {
  Unauthorized: of('UNAUTHORIZED', unauthorized(KEY)),
  // The authorizer denies only invalid keys. Functions check what a valid key may do.
  AccessDenied: of('ACCESS_DENIED', unauthorized(KEY)),
  InvalidApiKey: of(
    'INVALID_API_KEY',
    known('forbidden', 'This API key has no access to this operation.'),
  ),
  InvalidSignature: of(
    'INVALID_SIGNATURE',
    unauthorized('Omit the Authorization header, and send an API key in the X-API-Key header.'),
  ),
  // The gateway's response type for an unknown path; known paths accept any method.
  UnknownRoute: of('MISSING_AUTHENTICATION_TOKEN', known('not_found', NO_PATH)),
  ResourceNotFound: of('RESOURCE_NOT_FOUND', known('not_found', NO_PATH)),
  BadBody: of(
    'BAD_REQUEST_BODY',
    known('invalid_request', 'The body is not valid for this path; see /v1/docs.'),
  ),
  BadParameters: of(
    'BAD_REQUEST_PARAMETERS',
    known('invalid_request', 'A parameter is missing or not valid for this path; see /v1/docs.'),
  ),
  TooLarge: of('REQUEST_TOO_LARGE', known('too_large', 'The request is larger than 10 MB.')),
  UnsupportedMediaType: of(
    'UNSUPPORTED_MEDIA_TYPE',
    known('unsupported_media_type', 'Send the body as JSON.'),
  ),
  Throttled: of(
    'THROTTLED',
    known('throttled', 'Too many requests at once; try again in a second.'),
  ),
  Firewalled: of(
    'WAF_FILTERED',
    known('throttled', 'Too many requests from this address; try again in a few minutes.'),
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
    own('bad_request', 400, 'Bad Request', 'The request is malformed.'),
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

/**
 * Adds `message`, which clients of the v2.2 interface read. All problems have it, because the
 * gateway does not know the route.
 */
function of(occasion: string, problem: Problem) {
  return { occasion, problem: { ...problem, message: problem.detail } };
}

/** A problem type that functions also return. */
function known(type: ProblemType, detail: string): Problem {
  return new ProblemError(detail, { type }).toJSON();
}

/** A problem type that only the gateway returns. */
function own(code: string, status: number, title: string, detail: string): Problem {
  return { type: `urn:floorwatch:problem:${code}`, title, status, detail };
}

function unauthorized(detail: string): Problem {
  return own('unauthorized', 401, 'Unauthorized', detail);
}
