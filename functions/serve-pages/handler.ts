import { readFileSync } from 'node:fs';
import { httpFunction } from '#shared/http/http-function.ts';
import { openSite } from '#shared/http/site.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLog } from '#shared/runtime/log.ts';
import { ServePagesEnvironment } from './environment.ts';
import { servePages } from './routes.ts';

const environment = readEnvironment(ServePagesEnvironment);
const log = createLog('serve-pages');
const site = openSite((name) => readFileSync(`${environment.SITE_FOLDER}/${name}`, 'utf8'));

export const handler = httpFunction({ log, corsOrigins: environment.CORS_ORIGINS }, (event) =>
  servePages(site, event),
);
