import type { APIGatewayProxyResult } from 'aws-lambda';
import { type HttpEvent, pathOf } from '#shared/http/request.ts';
import { publicRoute, type Route, type Routes, routeOf } from '#shared/http/route.ts';
import { type Site, serveFile } from '#shared/http/site.ts';

/** The operations by method and path. No key is needed: nothing here is secret. */
export const siteRoutes = {
  'GET /v1/openapi.json': publicRoute(serving(() => 'openapi.json')),
  'GET /v1/docs': publicRoute(serving(() => 'docs')),
  'GET /v1/docs/{file}': publicRoute(serving((event) => `docs/${pathOf(event).file}`)),
} satisfies Routes<Site, undefined>;

/** Answers with the OpenAPI document, and with the page that shows it. */
export async function describeApi(site: Site, event: HttpEvent): Promise<APIGatewayProxyResult> {
  return await routeOf<Route<Site, undefined>>(siteRoutes, event).check(event)(site, undefined);
}

function serving(fileOf: (event: HttpEvent) => string) {
  return (site: Site, event: HttpEvent) => serveFile(site, fileOf(event), event);
}
