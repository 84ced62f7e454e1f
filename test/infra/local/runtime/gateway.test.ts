import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAuthorizer } from '#infra/local/runtime/authorizer.ts';
import { startGateway } from '#infra/local/runtime/gateway.ts';

const problem = { type: 'about:blank', title: 'Unauthorized', status: 401 };

describe('the gateway', () => {
  it('the gateway calls the authorizer, and passes its context and the request to the function of the route', async () => {
    const get = await anApi();

    const { status, body } = await get('/v1/lists/punks?limit=2&limit=3', { 'X-API-Key': 'good' });

    expect(status).toBe(200);
    expect(body).toEqual({
      sent: 'null as text',
      served: '/v1/lists/{list}',
      path: '/v1/lists/punks',
      asked: '/v1/lists/punks',
      parameters: { list: 'punks' },
      limit: ['2', '3'],
      tenant: 'local',
    });
  });

  it('the gateway passes path parameters percent-encoded, as the client sent them (like API Gateway REST)', async () => {
    const get = await anApi();

    const { body } = await get('/v1/lists/eth%3A0x%2541', { 'X-API-Key': 'good' });

    expect(body).toMatchObject({ parameters: { list: 'eth%3A0x%2541' } });
  });

  it('the gateway matches a path with a trailing slash to the route without it, and passes on the slash (like API Gateway REST)', async () => {
    const get = await anApi();

    const { body } = await get('/v1/lists/all/', { 'X-API-Key': 'good' });

    expect(body).toMatchObject({ served: '/v1/lists/all', asked: '/v1/lists/all/' });
  });

  it('the gateway prefers a literal part of a path to a parameter', async () => {
    const get = await anApi();

    const { body } = await get('/v1/lists/all', { 'X-API-Key': 'good' });

    expect(body).toMatchObject({ served: '/v1/lists/all', parameters: null });
  });

  it.each<{ name: string; headers: Record<string, string>; status: number }>([
    { name: 'no key', headers: {}, status: 401 },
    { name: 'a key that cannot be checked', headers: { 'X-API-Key': 'broken' }, status: 500 },
    { name: 'a wrong key', headers: { 'X-API-Key': 'denied' }, status: 403 },
  ])(
    'the gateway returns $status for a request with $name, without calling the function',
    async ({ headers, status }) => {
      const get = await anApi();

      const answer = await get('/v1/lists/punks', headers);

      expect(answer.status).toBe(status);
      if (status === 401) expect(answer.body).toEqual(problem);
      if (status === 401) expect(answer.type).toBe('application/problem+json');
    },
  );

  it('the gateway calls the authorizer once per key until the policy expires', async () => {
    const get = await anApi();

    const first = await get('/v1/lists/punks', { 'X-API-Key': 'counted' });
    const second = await get('/v1/lists/punks', { 'X-API-Key': 'counted' });

    expect([first.body, second.body]).toMatchObject([{ tenant: 'asked 1' }, { tenant: 'asked 1' }]);
  });

  it('the gateway returns 403 for a path without a route', async () => {
    const get = await anApi();

    expect((await get('/v1/none', { 'X-API-Key': 'good' })).status).toBe(403);
    expect((await get('/local/v1/lists/punks', { 'X-API-Key': 'good' })).status).toBe(403);
  });

  it('the gateway serves a stage only under the name of the stage (like execute-api)', async () => {
    const get = await anApi({ stage: 'prod' });

    const { body } = await get('/v1/lists/punks', { 'X-API-Key': 'good' });
    const other = await get('/../test/v1/lists/punks', { 'X-API-Key': 'good' });

    expect(body).toMatchObject({ path: '/v1/lists/punks', asked: '/prod/v1/lists/punks' });
    expect([other.status, other.body]).toEqual([403, { message: 'Forbidden' }]);
  });

  it('the gateway rejects a body above ten megabytes', async () => {
    const get = await anApi();

    const answer = await get('/v1/lists/punks', { 'X-API-Key': 'good' }, 'x'.repeat(10_000_001));

    expect(answer.status).toBe(413);
  });

  it.each([
    { isBase64Encoded: true, sent: '"eyLDqSI6MX0=" in base64' },
    { isBase64Encoded: false, sent: '"{\\"é\\":1}" as text' },
  ])(
    'the gateway passes the body in base64 only if all media types are binary: $isBase64Encoded',
    async ({ isBase64Encoded, sent }) => {
      const ask = await anApi({ isBase64Encoded });

      const { body } = await ask('/v1/lists/punks', { 'X-API-Key': 'good' }, '{"é":1}');

      expect(body).toMatchObject({ sent });
    },
  );

  it('the gateway decodes a response in base64', async () => {
    const ask = await anApi();

    const { body } = await ask('/v1/lists/encoded', { 'X-API-Key': 'good' });

    expect(body).toEqual({ é: 1 });
  });

  it('the gateway returns 502 for a function that throws or returns an invalid response', async () => {
    const get = await anApi();

    const thrown = await get('/v1/lists/throw', { 'X-API-Key': 'good' });
    const nothing = await get('/v1/lists/nothing', { 'X-API-Key': 'good' });

    expect([thrown.status, nothing.status]).toEqual([502, 502]);
  });
});

/** Two routes with an authorizer that accepts a few keys. */
async function anApi({ isBase64Encoded = false, stage }: Given = {}) {
  let asked = 0;
  const authorize = createAuthorizer(
    { IdentitySource: 'method.request.header.X-API-Key', AuthorizerResultTtlInSeconds: 30 },
    {
      invoke: async (event) => {
        const { headers, methodArn } = event as AuthorizerEvent;
        asked += 1;
        const key = headers['X-API-Key'];
        if (key === 'broken') throw new Error('broken');
        const Resource = `${methodArn.split('/', 2).join('/')}/*`;
        const Effect = key === 'denied' ? 'Deny' : 'Allow';
        return {
          principalId: 'local',
          policyDocument: {
            Version: '2012-10-17',
            Statement: [{ Action: 'execute-api:Invoke', Effect, Resource }],
          },
          context: { tenant: key === 'counted' ? `asked ${asked}` : 'local' },
        };
      },
    },
  );
  const target = { invoke: async (event: unknown) => serve(event as APIGatewayProxyEvent) };
  const routes = ['/v1/lists/{list}', '/v1/lists/all'].map((path) => ({
    ...{ method: 'ANY', path, parts: path.split('/'), target, authorize },
  }));
  const unauthorized = {
    status: 401,
    headers: { 'Content-Type': 'application/problem+json' },
    body: '{"type":"about:blank","title":$context.error.messageString,"status":401}',
  };
  const gateway = await startGateway({
    api: { routes, answers: new Map([['UNAUTHORIZED', unauthorized]]), isBase64Encoded },
    ...{ now: Date.now, pages: {}, onFailure: () => {}, stage },
  });
  onTestFinished(gateway.close);
  return async (path: string, headers: Record<string, string>, body?: string) => {
    const method = body === undefined ? {} : { method: 'PUT', body };
    const response = await fetch(`${gateway.url}${path}`, { headers, ...method });
    const type = response.headers.get('content-type');
    return { status: response.status, type, body: await response.json() };
  };
}

type Given = { readonly isBase64Encoded?: boolean; readonly stage?: string };
type AuthorizerEvent = {
  readonly headers: Readonly<Record<string, string>>;
  readonly methodArn: string;
};

/** Returns the received event, or another response that the path selects. */
async function serve(event: APIGatewayProxyEvent) {
  if (event.path.endsWith('throw')) throw new Error('no');
  if (event.path.endsWith('nothing')) return undefined;
  if (event.path.endsWith('encoded')) {
    return { statusCode: 200, isBase64Encoded: true, body: 'eyLDqSI6MX0=' };
  }
  return {
    statusCode: 200,
    body: JSON.stringify({
      sent: `${JSON.stringify(event.body)} ${event.isBase64Encoded ? 'in base64' : 'as text'}`,
      served: event.resource,
      path: event.path,
      asked: event.requestContext.path,
      parameters: event.pathParameters,
      limit: event.multiValueQueryStringParameters?.limit,
      tenant: event.requestContext.authorizer?.tenant,
    }),
  };
}
