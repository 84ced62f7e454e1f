import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { expect, it } from 'vitest';
import { answer, answersProblems } from '#shared/http/answer.ts';
import { answersHead } from '#shared/http/head.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { anHttpRequest } from '#test/support/builders.ts';

const silent = { info: () => undefined, error: () => undefined };

it.each([
  { path: '/known', status: 200, type: 'application/json' },
  { path: '/unknown', status: 404, type: 'application/problem+json' },
])('answers a HEAD of $path like its GET, without the body', async ({ path, status, type }) => {
  const handler = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(answersHead())
    .use(answersProblems(silent))
    .handler(async ({ httpMethod, resource }) => {
      if (resource === '/unknown') throw new ProblemError('no', { type: 'not_found' });
      return answer<unknown>(200, { httpMethod });
    });
  const context = {} as Context;

  const head = await handler(anHttpRequest(`HEAD ${path}`), context);
  const get = await handler(anHttpRequest(`GET ${path}`), context);

  expect(head).toMatchObject({ statusCode: status, headers: { 'Content-Type': type }, body: '' });
  expect(get).toEqual({ ...head, body: expect.stringMatching(/GET|not_found/) });
});
