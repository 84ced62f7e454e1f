import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { rawAnswer } from '#shared/http/answer.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { headerOf, refuseParameters } from '#shared/http/request.ts';
import type { Site } from './site.ts';

/** The file that each route serves. No key is needed: nothing here is secret. */
export const siteRoutes: Readonly<Record<string, (event: APIGatewayProxyEvent) => string>> = {
  'GET /v1/openapi.json': () => 'openapi.json',
  'GET /v1/docs': () => 'docs',
  'GET /v1/docs/{file}': ({ pathParameters }) => `docs/${pathParameters?.file}`,
};

/** Answers with the OpenAPI document, and with the page that shows it. */
export function describeApi(site: Site, event: APIGatewayProxyEvent): APIGatewayProxyResult {
  const served = siteRoutes[`${event.httpMethod} ${event.resource}`]?.(event);
  const file = site.files.get(served ?? '');
  if (file === undefined) throw new ProblemError('there is no such file', { type: 'not_found' });
  refuseParameters(event);
  const headers = { ...ON_ALL, ETag: file.etag };
  if (headerOf(event, 'If-None-Match') === file.etag) return rawAnswer(304, '', headers);
  return rawAnswer(200, file.text(), { ...headers, 'Content-Type': file.type });
}

/** The page runs only scripts of its own host, and connects to no other host. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const ON_ALL = {
  'Cache-Control': 'public, max-age=300',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};
