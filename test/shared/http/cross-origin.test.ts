import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { expect, it } from 'vitest';
import { answer, answersProblems } from '#shared/http/answer.ts';
import { crossOrigin } from '#shared/http/cross-origin.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { anHttpRequest } from '#test/support/builders.ts';

const PAGE = 'https://app.example.com';
const log = { info: () => undefined, error: () => undefined };

/** The headers of an answer to a page of this origin. */
async function headersFor(
  origins: readonly string[],
  route: string,
  given: { readonly origin?: string; readonly problem?: boolean } = {},
) {
  const handler = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(crossOrigin(origins))
    .use(answersProblems(log))
    .handler(async () => {
      if (given.problem) throw new ProblemError('no', { type: 'not_found' });
      return answer<unknown>(200, {}, { ETag: '"1"' });
    });
  const headers: Record<string, string> = given.origin ? { origin: given.origin } : {};
  const reported = await handler(anHttpRequest(route, { headers }), {} as Context);
  return reported.headers ?? {};
}

it('sends no CORS headers without configured origins', async () => {
  const headers = await headersFor([], 'GET /v1/watchlists', { origin: PAGE });

  expect(Object.keys(headers).join()).not.toMatch(/Access-Control|Vary/);
});

it.each([{ problem: false }, { problem: true }])(
  'allows only pages of the configured origins to read answers: %j',
  async ({ problem }) => {
    const origins = ['https://other.example.com', PAGE];
    const ask = (origin?: string) =>
      headersFor(origins, 'GET /v1/watchlists', { problem, ...(origin ? { origin } : {}) });

    const allowed = await ask(PAGE);

    expect(allowed).toMatchObject({ 'Access-Control-Allow-Origin': PAGE, Vary: 'Origin' });
    expect(allowed['Access-Control-Expose-Headers']).toMatch(
      /^ETag, Link, Location, .*Retry-After, RateLimit, RateLimit-Policy/,
    );
    for (const headers of [await ask(`${PAGE}.evil.example`), await ask()]) {
      expect(headers).not.toHaveProperty('Access-Control-Allow-Origin');
      expect(headers).toMatchObject({ Vary: 'Origin' });
    }
  },
);

it('allows any page to read answers if the origin * is configured', async () => {
  const headers = await headersFor(['*'], 'GET /v1/watchlists', { origin: PAGE });

  expect(headers).toMatchObject({ 'Access-Control-Allow-Origin': '*' });
});
