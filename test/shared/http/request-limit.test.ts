import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { expect, it } from 'vitest';
import { contractRoutes } from '#functions/serve-api/contracts/routes.ts';
import { watchlistRoutes } from '#functions/serve-api/watchlists/routes.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { answer, answersProblems } from '#shared/http/answer.ts';
import { createRequestCounter } from '#shared/http/count-request.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { limited } from '#shared/http/request-limit.ts';
import { createUsageStore } from '#shared/stores/usage-store.ts';
import { anHttpRequest, NOON } from '#test/support/builders.ts';

/** A function with a limit of 100 units, and the requests that reached it. */
function world() {
  const asked: string[] = [];
  const usage = createUsageStore(createMemoryTable(), 'api');
  const counter = createRequestCounter({ now: () => NOON, unitsPerMinute: 100, usage });
  const log = { info: () => undefined, error: () => undefined };
  const handler = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(limited(counter, { ...watchlistRoutes, ...contractRoutes }, log))
    .use(answersProblems(log))
    .handler(async ({ httpMethod, resource, path }) => {
      asked.push(`${httpMethod} ${resource}`);
      if (path === '/v1/changes') throw new ProblemError('no', { type: 'not_found' });
      return answer<unknown>(200, { reported: 'x'.repeat(path === '/v1/usage' ? 40 * 1024 : 0) });
    });
  const ask = async (route: string, about: Parameters<typeof anHttpRequest>[1] = {}) => {
    const { statusCode: status, headers = {} } = await handler(
      anHttpRequest(route, about),
      {} as Context,
    );
    const of = (name: string) => headers[name];
    return { status, limit: of('RateLimit'), policy: of('RateLimit-Policy'), headers };
  };
  return { ask, asked };
}

it('charges a change more than a read, and a preview most', async () => {
  const { ask } = world();

  const left = [];
  const list = '/v1/watchlists/{watchlist}';
  for (const route of ['GET /v1/watchlists', `PUT ${list}`, `DELETE ${list}`])
    left.push((await ask(route)).limit);
  left.push((await ask('POST /v1/rules/preview')).limit);

  expect(left).toEqual([99, 89, 79, 29].map((units) => expect.stringContaining(`r=${units};`)));
});

it.each([
  'GET /v1/alerts',
  'GET /v1/contracts',
  'GET /v1/contracts/{contract}',
  'GET /v1/contracts/{contract}/prices',
])('charges more for a route that reads all lists of a tenant: %s', async (route) => {
  const { ask } = world();

  expect((await ask(route)).limit).toBe('"api";r=90;t=6');
});

it('charges more for long requests and long answers', async () => {
  const { ask } = world();

  expect((await ask('GET /v1/usage')).limit).toBe('"api";r=97;t=2');
  expect(
    (await ask('PUT /v1/watchlists/{watchlist}', { body: { text: 'x'.repeat(100 * 1024) } })).limit,
  ).toBe('"api";r=81;t=12');
});

it('returns the limit and the remaining units with every answer, including problems', async () => {
  const { ask } = world();

  expect(await ask('GET /v1/watchlists')).toMatchObject({
    status: 200,
    limit: '"api";r=99;t=1',
    policy: '"api";q=100;w=60',
  });
  expect(await ask('GET /v1/changes')).toMatchObject({ status: 404, limit: '"api";r=98;t=2' });
});

it('rejects a caller beyond its limit without running the handler, with the time to retry', async () => {
  const { ask, asked } = world();
  for (let turn = 0; turn < 10; turn += 1) await ask('POST /v1/watchlists');
  asked.length = 0;

  const refused = await ask('POST /v1/watchlists');

  expect(refused).toMatchObject({ status: 429, limit: '"api";r=0;t=60' });
  expect(refused.headers).toMatchObject({ 'Retry-After': '6' });
  expect(asked).toEqual([]);
  expect(await ask('POST /v1/watchlists', { tenant: 'other' })).toMatchObject({ status: 200 });
});

it('does not limit a route that needs no key', async () => {
  const { ask } = world();

  const { status, limit } = await ask('GET /v1/health', { tenant: '' });

  expect([status, limit]).toEqual([200, undefined]);
});
