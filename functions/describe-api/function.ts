import { readFileSync } from 'node:fs';
import { httpFunction } from '#shared/http/http-function.ts';
import { openSite } from '#shared/http/site.ts';
import type { Basics } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { DescribeApiEnvironment } from './environment.ts';
import { describeApi } from './routes.ts';

export function describeApiFunction(outside: Basics) {
  const environment = readEnvironment(DescribeApiEnvironment, outside.variables);
  const log = outside.logOf('describe-api');
  const site = openSite((name) => readFileSync(`${environment.SITE_FOLDER}/${name}`, 'utf8'));

  return httpFunction(
    {
      earlyAbortMs: outside.earlyAbortMs,
      log,
      corsOrigins: environment.CORS_ORIGINS,
    },
    (event) => describeApi(site, event),
  );
}
