import { html } from '#shared/domain/markup.ts';
import { rawAnswer } from '#shared/http/answer.ts';
import { pageAnswer } from '#shared/http/html-page.ts';
import { type HttpEvent, headerOf, linkTo, pathOf } from '#shared/http/request.ts';
import { publicRoute, type Routes } from '#shared/http/route.ts';
import { type Site, serveFile } from '#shared/http/site.ts';

/**
 * The routes of the console's files. They are public: the console sends its key only to the API.
 */
export const consoleRoutes = {
  'GET /': publicRoute(leadToConsole),
  'GET /app': publicRoute(serveConsole),
  'GET /app/{file}': publicRoute(serveConsoleFile),
} satisfies Routes<Site, undefined>;

/**
 * Serves the console at `/app`. Redirects `/app/` there, because the page's relative links would
 * break.
 */
function serveConsole(site: Site, event: HttpEvent) {
  const { path = '' } = event.requestContext;
  return path.endsWith('/') ? leadToConsole(site, event) : serveFile(site, 'app', event);
}

/**
 * Serves a file. If it does not exist, a browser gets an error page, and a program gets a problem
 * document.
 */
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
