import { readFileSync } from 'node:fs';
import { httpFunction } from '#shared/http/http-function.ts';
import { openSite } from '#shared/http/site.ts';
import type { Basics } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { ServePagesEnvironment } from './environment.ts';
import { servePages } from './routes.ts';

export function servePagesFunction(outside: Basics) {
  const environment = readEnvironment(ServePagesEnvironment, outside.variables);
  const log = outside.logOf('serve-pages');
  const site = openSite((name) => readFileSync(`${environment.SITE_FOLDER}/${name}`, 'utf8'));

  return httpFunction(
    {
      earlyAbortMs: outside.earlyAbortMs,
      log,
      corsOrigins: environment.CORS_ORIGINS,
    },
    (event) => servePages(site, event),
  );
}
