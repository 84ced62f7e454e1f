import { readFileSync } from 'node:fs';
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { answersProblems } from '#shared/http/answer.ts';
import { crossOrigin } from '#shared/http/cross-origin.ts';
import { answersHead } from '#shared/http/head.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLog } from '#shared/runtime/log.ts';
import { logged } from '#shared/runtime/logged.ts';
import { DescribeApiEnvironment } from './environment.ts';
import { describeApi } from './routes.ts';
import { openSite } from './site.ts';

const environment = readEnvironment(DescribeApiEnvironment);
const log = createLog('describe-api');
const site = openSite((name) => readFileSync(`${environment.SITE_FOLDER}/${name}`, 'utf8'));

export const handler = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
  .use(answersHead())
  .use(logged(log))
  .use(crossOrigin(environment.CORS_ORIGINS))
  .use(answersProblems(log))
  .handler(async (event) => describeApi(site, event));
