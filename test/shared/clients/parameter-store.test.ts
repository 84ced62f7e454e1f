import { createHash, createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { GetParametersCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createParameterStore,
  type GetParameters,
  ParameterStoreEnvironment,
  ParameterStoreError,
  parameterStoreUrl,
} from '#shared/clients/parameter-store.ts';
import { NOON } from '#test/support/builders.ts';
import {
  type HttpServer,
  type ReceivedRequest,
  startHttpServer,
} from '#test/support/http-server.ts';

const NAME = '/floorwatch/dev/upstream-key';
const OTHER = '/floorwatch/dev/link-key';
const found = (values: Readonly<Record<string, string>>, missing: readonly string[] = []) => ({
  status: 200,
  body: JSON.stringify({
    Parameters: Object.entries(values).map(([Name, Value]) => ({ Name, Value })),
    InvalidParameters: missing,
  }),
});
const FOUND = found({ [NAME]: 's3cret' });
const BUSY = { status: 503, body: '' };
/** An error of SSM, with its namespace. */
const refusal = (type: string) => ({
  status: 400,
  body: JSON.stringify({ __type: `com.amazonaws.ssm#${type}`, message: 'no' }),
});
type Answer = { readonly status: number; readonly body: string } | 'cut';

const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG' };
const sessionToken = 'IQoJb3JpZ2luX2VjEJr';

let server: HttpServer;
let answers: Answer[];
let pauses: number[];

beforeEach(async () => {
  answers = [];
  pauses = [];
  server = await startHttpServer((response, _request, count) => {
    const answer = answers[count - 1] ?? BUSY;
    if (answer === 'cut') response.destroy();
    else response.writeHead(answer.status).end(answer.body);
  });
});

afterEach(() => server[Symbol.asyncDispose]());

it.each([
  [{ AWS_REGION: 'us-east-1' }, 'https://ssm.us-east-1.amazonaws.com/'],
  [{ AWS_REGION: 'us-gov-west-1' }, 'https://ssm.us-gov-west-1.amazonaws.com/'],
  [{ AWS_REGION: 'cn-north-1' }, 'https://ssm.cn-north-1.amazonaws.com.cn/'],
  [{ AWS_REGION: 'eusc-de-east-1' }, 'https://ssm.eusc-de-east-1.amazonaws.eu/'],
  [{ AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL: 'http://all:1' }, 'http://all:1/'],
  [
    {
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL: 'http://all:1',
      AWS_ENDPOINT_URL_SSM: 'http://ssm:2',
    },
    'http://ssm:2/',
  ],
])('with the environment %o, the URL of the parameter store is %s', (environment, url) => {
  expect(parameterStoreUrl(environment).href).toBe(url);
});

describe('a read of parameters', () => {
  it('returns the values of all existing parameters in one request', async () => {
    answers = [found({ [OTHER]: 'k3y', [NAME]: 's3cret' }, ['/none'])];

    const values = await store()([NAME, OTHER, '/none']);

    expect(values).toEqual(
      new Map([
        [NAME, 's3cret'],
        [OTHER, 'k3y'],
      ]),
    );
    expect(server.requests).toHaveLength(1);
  });

  it.each([{}, { sessionToken }])(
    "reads parameters with the same request as the SDK's own client (credentials with %o)",
    async (more) => {
      answers = [found({ [NAME]: 'a', [OTHER]: 'b' }), found({ [NAME]: 'a', [OTHER]: 'b' })];
      const client = new SSMClient({
        region: 'eu-west-1',
        endpoint: server.url,
        credentials: { ...keys, ...more },
      });

      await client.send(new GetParametersCommand({ Names: [NAME, OTHER], WithDecryption: true }));
      await store(more)([NAME, OTHER]);

      const [theirs, ours] = server.requests.map((request) => ({
        isRightlySigned: signatureOf(request) === request.headers.authorization,
        scope: /\/\d{8}\/([^,]+),/.exec(request.headers.authorization ?? '')?.[1],
        body: request.body,
        path: request.path,
        ...Object.fromEntries(
          ['host', 'content-type', 'x-amz-target', 'x-amz-security-token'].map((name) => [
            name,
            request.headers[name],
          ]),
        ),
      }));
      expect(ours).toEqual(theirs);
      expect(ours).toMatchObject({
        isRightlySigned: true,
        ...(more.sessionToken && { 'x-amz-security-token': sessionToken }),
      });
      client.destroy();
    },
  );

  it('sends no session token to the parameter store if it is empty', async () => {
    answers = [FOUND];

    await store({ sessionToken: '' })([NAME]);

    expect(server.requests[0]?.headers).not.toHaveProperty('x-amz-security-token');
  });

  it('signs a request to the parameter store with the time of the clock', async () => {
    answers = [FOUND];

    await store()([NAME]);

    const signedAt = new Date(NOON).toISOString().replace(/[-:]|\.\d+/g, '');
    expect(server.requests[0]?.headers['x-amz-date']).toBe(signedAt);
  });

  it.each<[string, Answer]>([
    ['is busy', BUSY],
    ['throttles', refusal('ThrottlingException')],
    ['answers 429', { status: 429, body: '' }],
    ['cuts the connection', 'cut'],
  ])('retries if SSM %s, after random pauses that grow to a second', async (_, answer) => {
    answers = [...Array.from({ length: 5 }, () => answer), FOUND];

    expect(await store()([NAME])).toEqual(new Map([[NAME, 's3cret']]));
    expect(pauses).toEqual([150, 300, 600, 750, 750]);
  });

  it.each<[string, Answer]>([
    ['stays busy', BUSY],
    ['cuts every connection', 'cut'],
    ['continues throttling', refusal('ThrottlingException')],
  ])('fails if SSM %s, and starts no attempt after seven and a half seconds', async (_, answer) => {
    answers = Array.from({ length: 100 }, () => answer);

    await expect(store()([NAME])).rejects.toThrow(ParameterStoreError);

    const lastStart = pauses.reduce((sum, pause) => sum + pause, 0);
    expect(lastStart).toBeGreaterThan(6500);
    expect(lastStart).toBeLessThanOrEqual(7500);
  });

  it.each<[string, Answer]>([
    ['denies access', refusal('AccessDeniedException')],
    ['returns an unreadable answer', { status: 200, body: '<html>' }],
    ['returns no value', { status: 200, body: JSON.stringify({ Parameters: [{ Name: NAME }] }) }],
    ['leaves out the parameter', found({ [OTHER]: 'k3y' })],
  ])('fails without a retry if SSM %s, naming the parameter and no secret', async (_, answer) => {
    answers = [answer, FOUND];

    const reading = store({ sessionToken })([NAME]);

    await expect(reading).rejects.toThrow(ParameterStoreError);
    await expect(reading).rejects.toMatchObject({
      code: 'parameter_store_failed',
      message: expect.stringContaining(NAME),
    });
    expect(server.requests).toHaveLength(1);
    const reported = await reading.catch((error: unknown) => inspect(error, { depth: null }));
    for (const secret of [keys.secretAccessKey, sessionToken, 'k3y']) {
      expect(reported).not.toContain(secret);
    }
  });
});

function store(more: { readonly sessionToken?: string } = {}): GetParameters {
  const environment = ParameterStoreEnvironment.parse({
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
    ...(more.sessionToken !== undefined && { AWS_SESSION_TOKEN: more.sessionToken }),
    AWS_ENDPOINT_URL_SSM: server.url,
    AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
  });
  let now = NOON;
  const sleepUntil = async (instant: number) => {
    pauses.push(instant - now);
    now = instant;
  };
  return createParameterStore(environment, { now: () => now, sleepUntil, random: () => 0.5 });
}

/**
 * The signature that AWS computes from a request and compares with `Authorization` (Signature
 * Version 4).
 */
function signatureOf({ method, path, headers, body }: ReceivedRequest): string {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const hmac = (key: string | Buffer, text: string) =>
    createHmac('sha256', key).update(text).digest();
  const reported = /Credential=[^/]+\/([^,]+), SignedHeaders=([^,]+),/.exec(
    headers.authorization ?? '',
  );
  const [, scope = '', names = ''] = reported ?? [];
  const canonical = [
    ...[method, path, ''],
    ...names.split(';').map((name) => `${name}:${headers[name]?.toString()}`),
    ...['', names, sha256(body)],
  ].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${keys.secretAccessKey}`);
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const signature = hmac(key, toSign).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
}
