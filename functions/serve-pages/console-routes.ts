import { html } from '#shared/domain/markup.ts';
import { rawAnswer } from '#shared/http/answer.ts';
import { pageAnswer } from '#shared/http/html-page.ts';
import { type HttpEvent, headerOf, linkTo, pathOf } from '#shared/http/request.ts';
import { publicRoute, type Routes } from '#shared/http/route.ts';
import { type Site, serveFile } from '#shared/http/site.ts';

/**
 * The routes of the console's files, which need no key. The console sends one with its API
 * requests.
 */
export const consoleRoutes = {
  'GET /': publicRoute(leadToConsole),
  'GET /app': publicRoute(serveConsole),
  'GET /app/{file}': publicRoute(serveConsoleFile),
} satisfies Routes<Site, undefined>;

/** The page names its files relative to `/app`, so the browser would not find them from `/app/`. */
function serveConsole(site: Site, event: HttpEvent) {
  const { path = '' } = event.requestContext;
  return path.endsWith('/') ? leadToConsole(site, event) : serveFile(site, 'app', event);
}

/** For an unknown address, a browser gets a page, and a program gets a problem document. */
function serveConsoleFile(site: Site, event: HttpEvent) {
  const path = `app/${pathOf(event).file}`;
  const isOpened = headerOf(event, 'Accept')?.includes('text/html') === true;
  if (site.files.has(path) || !isOpened) return serveFile(site, path, event);
  return pageAnswer(
    404,
    'Page not found',
    html`<p><a href="${linkTo(event, '/app')}">Open the console</a></p>`,
  );
}

function leadToConsole(_site: Site, event: HttpEvent) {
  return rawAnswer(302, '', { Location: linkTo(event, '/app'), 'Cache-Control': 'no-store' });
}
