import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';

/**
 * Responds to a HEAD as to a GET of the same path, but without the body. Must be used before all
 * other middleware.
 */
export function answersHead(): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  const heads = new WeakSet<object>();
  const withoutBody: MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult>['after'] = (
    request,
  ) => {
    if (request.response && heads.has(request)) {
      request.response = { ...request.response, body: '' };
    }
  };
  return {
    before: (request) => {
      if (request.event.httpMethod !== 'HEAD') return;
      heads.add(request);
      request.event = { ...request.event, httpMethod: 'GET' };
    },
    after: withoutBody,
    onError: withoutBody,
  };
}
