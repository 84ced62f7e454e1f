import { rawAnswer } from '#shared/http/answer.ts';
import { type HttpEvent, linkTo, pathOf } from '#shared/http/request.ts';
import { publicRoute, type Routes } from '#shared/http/route.ts';
import { type Site, serveFile } from '#shared/http/site.ts';

/** The console. Its files need no key. Its requests to the interface carry one. */
export const consoleRoutes = {
  'GET /': publicRoute(leadToConsole),
  'GET /app': publicRoute((site: Site, event) => serveFile(site, 'app', event)),
  'GET /app/{file}': publicRoute((site: Site, event) =>
    serveFile(site, `app/${pathOf(event).file}`, event),
  ),
} satisfies Routes<Site, undefined>;

function leadToConsole(_site: Site, event: HttpEvent) {
  return rawAnswer(302, '', { Location: linkTo(event, '/app'), 'Cache-Control': 'no-store' });
}
