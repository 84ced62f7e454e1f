import { type HttpEvent, pathOf } from '#shared/http/request.ts';
import { publicRoute, type Routes } from '#shared/http/route.ts';
import { type Site, serveFile } from '#shared/http/site.ts';

/** The OpenAPI document and the page that shows it. Both are public and need no key. */
export const documentRoutes = {
  'GET /v1/openapi.json': publicRoute(serving(() => 'openapi.json')),
  'GET /v1/docs': publicRoute(serving(() => 'docs')),
  'GET /v1/docs/{file}': publicRoute(serving((event) => `docs/${pathOf(event).file}`)),
} satisfies Routes<Site, undefined>;

function serving(fileOf: (event: HttpEvent) => string) {
  return (site: Site, event: HttpEvent) => serveFile(site, fileOf(event), event);
}
