import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';

/** Answers a HEAD as the GET of the same path, without the body. To be used before all others. */
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
