import type { APIGatewayProxyResult } from 'aws-lambda';
import { rawAnswer } from '#shared/http/answer.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { type HttpEvent, headerOf } from '#shared/http/request.ts';
import { publicRoute, type Route, type Routes, routeOf } from '#shared/http/route.ts';
import type { Site } from './site.ts';

/** The operations by method and path. No key is needed: nothing here is secret. */
export const siteRoutes = {
  'GET /v1/openapi.json': publicRoute(serving(() => 'openapi.json')),
  'GET /v1/docs': publicRoute(serving(() => 'docs')),
  'GET /v1/docs/{file}': publicRoute(
    serving(({ pathParameters }) => `docs/${pathParameters?.file}`),
  ),
} satisfies Routes<Site, undefined>;

/** Answers with the OpenAPI document, and with the page that shows it. */
export async function describeApi(site: Site, event: HttpEvent): Promise<APIGatewayProxyResult> {
  return await routeOf<Route<Site, undefined>>(siteRoutes, event).check(event)(site, undefined);
}

/** Serves a file of the site. */
function serving(nameOf: (event: HttpEvent) => string) {
  return (site: Site, event: HttpEvent) => {
    const file = site.files.get(nameOf(event));
    if (file === undefined) throw new ProblemError('there is no such file', { type: 'not_found' });
    const headers = { ...ON_ALL, ETag: file.etag };
    if (headerOf(event, 'If-None-Match') === file.etag) return rawAnswer(304, '', headers);
    return rawAnswer(200, file.text(), { ...headers, 'Content-Type': file.type });
  };
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
