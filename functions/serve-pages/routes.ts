import type { APIGatewayProxyResult } from 'aws-lambda';
import type { HttpEvent } from '#shared/http/request.ts';
import { type Route, type Routes, routeOf } from '#shared/http/route.ts';
import type { Site } from '#shared/http/site.ts';
import { consoleRoutes } from './console-routes.ts';
import { documentRoutes } from './document-routes.ts';

/** The routes of the console and of the OpenAPI document, by method and path. */
export const pageRoutes = { ...documentRoutes, ...consoleRoutes } satisfies Routes<Site, undefined>;

/** Responds to a request for a page or one of its files. */
export async function servePages(site: Site, event: HttpEvent): Promise<APIGatewayProxyResult> {
  return await routeOf<Route<Site, undefined>>(pageRoutes, event).check(event)(site, undefined);
}
