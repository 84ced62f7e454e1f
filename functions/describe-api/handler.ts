import { readFileSync } from 'node:fs';
import { httpFunction } from '#shared/http/http-function.ts';
import { openSite } from '#shared/http/site.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLog } from '#shared/runtime/log.ts';
import { DescribeApiEnvironment } from './environment.ts';
import { describeApi } from './routes.ts';

const environment = readEnvironment(DescribeApiEnvironment);
const log = createLog('describe-api');
const site = openSite((name) => readFileSync(`${environment.SITE_FOLDER}/${name}`, 'utf8'));

export const handler = httpFunction(
  {
    log,
    corsOrigins: environment.CORS_ORIGINS,
  },
  (event) => describeApi(site, event),
);
