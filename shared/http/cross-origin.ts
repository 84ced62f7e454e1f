import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import * as z from 'zod';
import { JsonText } from '#shared/domain/json-text.ts';
import { type HttpEvent, headerOf } from './request.ts';

/** The variable with the origins whose pages may read answers: `*` for all, none by default. */
export const crossOriginVariables = { CORS_ORIGINS: JsonText.pipe(z.array(z.string()).readonly()) };

type Headers = Readonly<Record<string, string>>;

/**
 * Allows pages of the given origins to read every answer. Must be used before the middleware that
 * creates problems.
 */
export function crossOrigin(
  origins: readonly string[],
): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  return {
    after: (request) => {
      request.response = withOrigin(origins, request.event, request.response);
    },
    onError: (request) => {
      request.response = withOrigin(origins, request.event, request.response);
    },
  };
}

function withOrigin<Response extends APIGatewayProxyResult | null | undefined>(
  origins: readonly string[],
  event: HttpEvent,
  response: Response,
): Response {
  if (!response || origins.length === 0) return response;
  return { ...response, headers: { ...response.headers, ...originHeaders(origins, event) } };
}

/**
 * The CORS headers of an answer. `Vary` prevents caches from sending the answer to another origin.
 */
function originHeaders(origins: readonly string[], event: HttpEvent): Headers {
  if (origins.includes('*')) return { 'Access-Control-Allow-Origin': '*', ...EXPOSED };
  const origin = headerOf(event, 'Origin') ?? '';
  return origins.includes(origin)
    ? { 'Access-Control-Allow-Origin': origin, Vary: 'Origin', ...EXPOSED }
    : { Vary: 'Origin' };
}

const EXPOSED = {
  'Access-Control-Expose-Headers':
    'ETag, Link, Location, Allow, Retry-After, RateLimit, RateLimit-Policy, Age, Cache-Status',
};
