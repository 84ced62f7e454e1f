import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';

type Problem = {
  /** The stable end of its type, as in those of the functions. */
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
};

/**
 * What the gateway answers itself, by construct id. Types that cannot occur here (usage plans) fall
 * to the two defaults.
 */
const problems: Readonly<Record<string, Problem & { readonly type: ResponseType }>> = {
  Unauthorized: {
    type: ResponseType.UNAUTHORIZED,
    code: 'unauthorized',
    status: 401,
    title: 'Unauthorized',
    detail: 'Send a valid API key in the X-API-Key header.',
  },
  // What our authorizer denies: a key that opens nothing. What a key may do, functions say.
  AccessDenied: {
    type: ResponseType.ACCESS_DENIED,
    code: 'unauthorized',
    status: 401,
    title: 'Unauthorized',
    detail: 'Send a valid API key in the X-API-Key header.',
  },
  InvalidApiKey: {
    type: ResponseType.INVALID_API_KEY,
    code: 'forbidden',
    status: 403,
    title: 'The key does not allow this',
    detail: 'This API key may not do that.',
  },
  InvalidSignature: {
    type: ResponseType.INVALID_SIGNATURE,
    code: 'unauthorized',
    status: 401,
    title: 'Unauthorized',
    detail: 'Leave out the Authorization header; send an API key in the X-API-Key header.',
  },
  // The gateway's name for a path that it does not have; each that it has takes any method.
  UnknownRoute: {
    type: ResponseType.MISSING_AUTHENTICATION_TOKEN,
    code: 'not_found',
    status: 404,
    title: 'Not found',
    detail: 'There is no such path.',
  },
  ResourceNotFound: {
    type: ResponseType.RESOURCE_NOT_FOUND,
    code: 'not_found',
    status: 404,
    title: 'Not found',
    detail: 'There is no such path.',
  },
  BadBody: {
    type: ResponseType.BAD_REQUEST_BODY,
    code: 'invalid_request',
    status: 400,
    title: 'The request is not valid',
    detail: 'The body is not what this path takes.',
  },
  BadParameters: {
    type: ResponseType.BAD_REQUEST_PARAMETERS,
    code: 'invalid_request',
    status: 400,
    title: 'The request is not valid',
    detail: 'A parameter is missing or not what this path takes.',
  },
  TooLarge: {
    type: ResponseType.REQUEST_TOO_LARGE,
    code: 'too_large',
    status: 413,
    title: 'The body is too large',
    detail: 'The request is larger than 10 MB.',
  },
  UnsupportedMediaType: {
    type: ResponseType.UNSUPPORTED_MEDIA_TYPE,
    code: 'unsupported_media_type',
    status: 415,
    title: 'The body is not JSON',
    detail: 'Send JSON.',
  },
  Throttled: {
    type: ResponseType.THROTTLED,
    code: 'throttled',
    status: 429,
    title: 'Too many requests',
    detail: 'Too many requests at once; try again in a second.',
  },
  Firewalled: {
    type: ResponseType.WAF_FILTERED,
    code: 'throttled',
    status: 429,
    title: 'Too many requests',
    detail: 'Too many requests from this address; try again in some minutes.',
  },
  QuotaExceeded: {
    type: ResponseType.QUOTA_EXCEEDED,
    code: 'throttled',
    status: 429,
    title: 'Too many requests',
    detail: 'The quota of this API key is used up.',
  },
  AuthorizerFailure: {
    type: ResponseType.AUTHORIZER_FAILURE,
    code: 'internal',
    status: 500,
    title: 'Something went wrong on our side',
    detail: 'The API key could not be checked; try again.',
  },
  IntegrationFailure: {
    type: ResponseType.INTEGRATION_FAILURE,
    code: 'function_failed',
    status: 502,
    title: 'Bad Gateway',
    detail: 'The request could not be handled; try again.',
  },
  IntegrationTimeout: {
    type: ResponseType.INTEGRATION_TIMEOUT,
    code: 'function_timeout',
    status: 504,
    title: 'Gateway Timeout',
    detail: 'The request took too long; try again.',
  },
  OtherClientError: {
    type: ResponseType.DEFAULT_4XX,
    code: 'bad_request',
    status: 400,
    title: 'Bad Request',
    detail: 'The request is not one that can be handled.',
  },
  OtherServerError: {
    type: ResponseType.DEFAULT_5XX,
    code: 'internal',
    status: 500,
    title: 'Something went wrong on our side',
    detail: 'The request could not be handled; try again.',
  },
};

/**
 * Makes the gateway's own answers problem documents (RFC 9457), like those of the functions, with
 * the `message` that clients of the v2.2 interface read: here no route is known.
 */
export function answerWithProblems(api: RestApi, isForPages: boolean): void {
  for (const [id, { type, code, status, title, detail }] of Object.entries(problems)) {
    api.addGatewayResponse(id, {
      type,
      statusCode: String(status),
      responseHeaders: {
        'Content-Type': "'application/problem+json'",
        'Cache-Control': "'no-store'",
        ...HEADERS[status],
        ...(isForPages ? FOR_PAGES : {}),
      },
      templates: {
        'application/json': JSON.stringify({
          ...{ type: `urn:floorwatch:problem:${code}`, title, status, detail },
          message: detail,
        }),
      },
    });
  }
}

/** They hold no tenant's data, so any page may read them where some may. */
const FOR_PAGES = {
  'Access-Control-Allow-Origin': "'*'",
  'Access-Control-Expose-Headers': "'Retry-After'",
};

/** What some of them say in headers; the gateway wants constants in quotes. */
const HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'WWW-Authenticate': "'ApiKey'" },
  429: { 'Retry-After': "'1'" },
};
