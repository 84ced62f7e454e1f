import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';

type Problem = { readonly status: number; readonly title: string; readonly detail: string };

/**
 * What the gateway answers itself, by construct id. Types that cannot occur here
 * (usage plans, firewall) fall to the two defaults.
 */
const problems: Readonly<Record<string, Problem & { readonly type: ResponseType }>> = {
  Unauthorized: {
    type: ResponseType.UNAUTHORIZED,
    status: 401,
    title: 'Unauthorized',
    detail: 'Send a valid API key in the X-API-Key header.',
  },
  AccessDenied: {
    type: ResponseType.ACCESS_DENIED,
    status: 403,
    title: 'Forbidden',
    detail: 'This API key may not do that.',
  },
  InvalidApiKey: {
    type: ResponseType.INVALID_API_KEY,
    status: 403,
    title: 'Forbidden',
    detail: 'This API key may not do that.',
  },
  InvalidSignature: {
    type: ResponseType.INVALID_SIGNATURE,
    status: 401,
    title: 'Unauthorized',
    detail: 'Leave out the Authorization header; send an API key in the X-API-Key header.',
  },
  // The gateway's name for a path or method that it does not have.
  UnknownRoute: {
    type: ResponseType.MISSING_AUTHENTICATION_TOKEN,
    status: 404,
    title: 'Not Found',
    detail: 'There is no such path, or it does not have this method.',
  },
  ResourceNotFound: {
    type: ResponseType.RESOURCE_NOT_FOUND,
    status: 404,
    title: 'Not Found',
    detail: 'There is no such path.',
  },
  BadBody: {
    type: ResponseType.BAD_REQUEST_BODY,
    status: 400,
    title: 'Bad Request',
    detail: 'The body is not what this path takes.',
  },
  BadParameters: {
    type: ResponseType.BAD_REQUEST_PARAMETERS,
    status: 400,
    title: 'Bad Request',
    detail: 'A parameter is missing or not what this path takes.',
  },
  TooLarge: {
    type: ResponseType.REQUEST_TOO_LARGE,
    status: 413,
    title: 'Content Too Large',
    detail: 'The request is larger than 10 MB.',
  },
  UnsupportedMediaType: {
    type: ResponseType.UNSUPPORTED_MEDIA_TYPE,
    status: 415,
    title: 'Unsupported Media Type',
    detail: 'Send JSON.',
  },
  Throttled: {
    type: ResponseType.THROTTLED,
    status: 429,
    title: 'Too Many Requests',
    detail: 'Too many requests at once; try again in a second.',
  },
  QuotaExceeded: {
    type: ResponseType.QUOTA_EXCEEDED,
    status: 429,
    title: 'Too Many Requests',
    detail: 'The quota of this API key is used up.',
  },
  AuthorizerFailure: {
    type: ResponseType.AUTHORIZER_FAILURE,
    status: 500,
    title: 'Internal Server Error',
    detail: 'The API key could not be checked; try again.',
  },
  IntegrationFailure: {
    type: ResponseType.INTEGRATION_FAILURE,
    status: 502,
    title: 'Bad Gateway',
    detail: 'The request could not be handled; try again.',
  },
  IntegrationTimeout: {
    type: ResponseType.INTEGRATION_TIMEOUT,
    status: 504,
    title: 'Gateway Timeout',
    detail: 'The request took too long; try again.',
  },
  OtherClientError: {
    type: ResponseType.DEFAULT_4XX,
    status: 400,
    title: 'Bad Request',
    detail: 'The request is not one that can be handled.',
  },
  OtherServerError: {
    type: ResponseType.DEFAULT_5XX,
    status: 500,
    title: 'Internal Server Error',
    detail: 'The request could not be handled; try again.',
  },
};

/**
 * Makes the gateway's own answers problem documents (RFC 9457), like those of the functions, with
 * the `message` that clients of the v2.2 interface read: here no route is known.
 */
export function answerWithProblems(api: RestApi): void {
  for (const [id, { type, status, title, detail }] of Object.entries(problems)) {
    api.addGatewayResponse(id, {
      type,
      statusCode: String(status),
      responseHeaders: { 'Content-Type': "'application/problem+json'" },
      templates: {
        'application/json': JSON.stringify({
          ...{ type: 'about:blank', title, status, detail },
          message: detail,
        }),
      },
    });
  }
}
