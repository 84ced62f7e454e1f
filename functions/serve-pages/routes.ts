import type { APIGatewayProxyResult } from 'aws-lambda';
import { rawAnswer } from '#shared/http/answer.ts';
import { type HttpEvent, linkTo, pathOf } from '#shared/http/request.ts';
import { publicRoute, type Route, type Routes, routeOf } from '#shared/http/route.ts';
import { type Site, serveFile } from '#shared/http/site.ts';

/** The console. It is served without a key: what it shows it asks the interface for, with one. */
export const pageRoutes = {
  'GET /': publicRoute(leadToConsole),
  'GET /app': publicRoute((site: Site, event) => serveFile(site, 'app', event)),
  'GET /app/{file}': publicRoute((site: Site, event) =>
    serveFile(site, `app/${pathOf(event).file}`, event),
  ),
} satisfies Routes<Site, undefined>;

/** Answers with the console, and with its files. */
export async function servePages(site: Site, event: HttpEvent): Promise<APIGatewayProxyResult> {
  return await routeOf<Route<Site, undefined>>(pageRoutes, event).check(event)(site, undefined);
}

function leadToConsole(_site: Site, event: HttpEvent) {
  return rawAnswer(302, '', { Location: linkTo(event, '/app'), 'Cache-Control': 'no-store' });
}
